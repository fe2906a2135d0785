# SPDX-License-Identifier: Apache-2.0
"""Schedule of a hybrid multiplication: sums of products are placed one by one, each as early as units are free."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from ....engines.coxrower.steps import ADD, ALONE, COEFFICIENTS, COMMON, DOUBLE, FILE, HELD, StepBuilder, Term
from ....schedule import Schedule, Step
from .parameters import BETA, HybridParameters


class HybridBuilder(StepBuilder):
    """Steps of products next to an extension, and of carries."""

    def alongside(self, name: str, start: int, fields: dict[str, int]) -> None:
        """One product that starts the sum of an extension."""
        set_fields = {field: value for field, value in fields.items() if value}
        latency = self.engine.latency
        step = Step(name, "multiply-accumulate", start, 1, latency, set_fields, also=(COEFFICIENTS,))
        self.steps.append(step)

    def keep_carry(self, name: str, hats: int, number: int) -> None:
        """Store the carry of the extension of hats that could be read in cycle `hats`."""
        cycle = self._on_bus([hats]) + self.engine.rows + self.engine.cox_cycles
        self.add(name, "carry", cycle, carry=number + 1)

    @property
    def cycles(self) -> set[tuple[str, int]]:
        """Every unit with the cycles in which it is busy."""
        return {(step.resource, step.start + k) for step in self.steps for k in range(step.busy)}


def make_schedule(p: HybridParameters) -> Schedule:
    """Sums z_k in both bases, then for each k the two extensions, then the coefficients of the result."""
    d = p.degree
    builder = HybridBuilder(p.engine)
    busy: set[tuple[str, int]] = set()
    last = {"read": 0, "end": 0}

    def place(ready: int, make: Callable[[HybridBuilder, int], int]) -> int:
        """Place steps at the first cycle that is free for all of them; return the cycle in which the last result is
        valid."""
        for start in itertools.count(ready):
            trial = HybridBuilder(p.engine)
            end = make(trial, start)
            if trial.free_of_conflicts and not trial.cycles & busy:
                busy.update(trial.cycles)
                builder.steps += trial.steps
                last["end"] = max(last["end"], end)
                return end
        raise AssertionError("there is always a later cycle")

    there: dict[str, int] = {}
    for k, base in itertools.product(range(d), (0, 1)):
        name = f"{'αβ'[base]}_{k}"

        def products(trial: HybridBuilder, start: int, k: int = k, base: int = base, name: str = name) -> int:
            end = trial.sum_of(name, start, _terms(d, k, base), base)
            last["read"] = max(last["read"], start + d - 1)
            trial.write(f"{name} kept", end, k + base * d, after=(name,))
            return end

        there[name] = place(1, products) + 1
    for k in range(d):

        def extensions(trial: HybridBuilder, start: int, k: int = k) -> int:
            return _extensions(p, trial, start, k)

        there[f"p_{k}"] = place(max(there[f"α_{k}"], there[f"β_{k}"]), extensions) + 1
    ready = max(there.values())
    for k, base in itertools.product(range(d), (0, 1)):
        name = f"s_{k} in {'AB'[base]}"

        def result(trial: HybridBuilder, start: int, k: int = k, base: int = base, name: str = name) -> int:
            end = trial.sum_of(name, start, _coefficient(p, k, base), base)
            trial.write(f"{name} kept", end, k + base * d, after=(name,))
            return end

        place(ready, result)
    push = last["end"] + 1
    builder.steps.append(Step("x, y", "operands", 0, busy=max(1, last["read"])))
    builder.steps.append(Step("all", "kept results", 0, busy=push + 1))
    builder.steps.append(Step("push", "result", push, control={"take": 1}))
    return Schedule(tuple(builder.steps), push + 1, "as early as units are free")


def _terms(d: int, k: int, base: int) -> list[Term]:
    """x_i·y_j with i + j = k + d, and then, to twice their sum, those with i + j = k."""
    pairs = [(i, k + d - i) for i in range(k + 1, d)]
    low = [(i, k - i) for i in range(k + 1)]
    terms: list[Term] = []
    for number, (i, j) in enumerate([*pairs, *low]):
        mode = ALONE if number == 0 else DOUBLE if pairs and number == len(pairs) else ADD
        terms.append((mode, {"a": HELD, "pick": i + base * d, "other": j + base * d}))
    return terms


def _extensions(p: HybridParameters, trial: HybridBuilder, start: int, k: int) -> int:
    """Place the steps from α_k and β_k to q̂_k, p_k and t_k."""
    d, engine = p.degree, p.engine
    term = (ALONE, {"a": FILE, "pick": k, "b": p.address("T")})
    hats = trial.sum_of(f"r̂_{k}", start, [term], 0)
    first = trial.first_sums([hats])[0] - (engine.latency - 1)
    fields = {"a": FILE, "pick": d + k, "b": p.address("T/M")}
    trial.alongside(f"T/M·β_{k}", first - 1, fields)
    q = trial.extend(f"q̂_{k}", [hats], 0, after=(f"r̂_{k}",), first=ADD)
    trial.write(f"q̂_{k} kept", q[0], 2 * d + k, after=(f"q̂_{k}",))
    trial.keep_carry(f"t_{k}", q[0], k)
    (end,) = trial.extend(f"p_{k}", q, 1, after=(f"q̂_{k}",))
    trial.write(f"p_{k} kept", end, 3 * d + k, after=(f"p_{k}",))
    return end


def _coefficient(p: HybridParameters, k: int, base: int) -> list[Term]:
    """The products of s_k."""
    d = p.degree
    one, two = (1 if k >= back else BETA for back in (1, 2))  # of what has come one and two positions

    def filed(number: int, name: str) -> Term:
        return ADD, {"a": FILE, "pick": number, "b": p.address(name)}

    def common(number: int, name: str) -> Term:
        return ADD, {"a": COMMON, "pick": number, "b": p.address(name)}

    before, twice = (k - 1) % d, (k - 2) % d
    if base == 0:
        terms = [
            filed(k, "α"),
            filed(3 * d + before, f"p·{one}"),
            common(1 + twice, f"t·{two} in A"),
            common(0, f"e{k} in A"),
        ]
    else:
        terms = [
            filed(d + k, "p·1"),
            filed(2 * d + k, "q"),
            filed(2 * d + before, f"q'·{one}"),
            common(1 + before, f"tM·{one}"),
            common(1 + twice, f"t·{two} in B"),
            common(0, f"e{k} in B"),
        ]
    return [(ALONE, terms[0][1]), *terms[1:]]
