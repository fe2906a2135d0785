# SPDX-License-Identifier: Apache-2.0
"""A point multiplier's parts in simulation, with operation unit and scalar in plain integers."""

from itertools import islice
from random import Random

from modwright.cores.ecpm.ladder.plan.ladder import lifted_scalar
from modwright.prove.theorem.points.cut import port
from modwright.prove.theorem.points.program import fields_at
from modwright.prove.theorem.points.refute import drawn, judged
from modwright.prove.theorem.points.unit import ITERATE, LOAD, MINUS, MODULUS, PLUS, RESULT
from modwright.prove.theorem.ternary import Simulation, after_reset, gather

UNKNOWN = 0, 0
POSITIONS = ("now", "before", "fresh_now", "fresh", "nothing", "mirror")


def known(value, bits):
    """A word all of whose bits are known."""
    return value & (1 << bits) - 1, (1 << bits) - 1


class Numbers:
    """The unit in integers: None where its contract says nothing."""

    def __init__(self, contract, m, macs, sign):
        self.contract, self.m, self.sign = contract, m, sign
        self.back = pow(2, -contract.iterations // 2, m) if m % 2 else 0
        self.a = self.total = self.first = self.divisor = None
        self.iterations, self.flights = 0, [[] for _ in range(macs)]

    def result(self, fields):
        inverse = fields.get("inverse", 0)
        if inverse == RESULT and self.divisor and self.iterations == self.contract.iterations:
            found = pow(2, self.iterations, self.m) * pow(self.divisor, -1, self.m)
            return (-found if self.sign else found) % self.m
        return None if inverse in (ITERATE, RESULT) else self.total

    @property
    def negative(self):
        return None if self.first is None else int(self.first < 0)

    def clock(self, fields, words):
        self._multiply(fields, words)
        a, read, second = self.a, words["read"], fields.get("second", 0)
        if fields["first"]:
            a = self._product(fields["first"] - 1)
        terms = {PLUS: read, MINUS: None if read is None else -read, MODULUS: -self.m}
        term = terms.get(second, 0)
        busy = fields.get("inverse", 0) == ITERATE
        self.first = None if a is None or term is None or busy else a + term + fields.get("one", 0)
        self.total = self._reduced(self.first)
        if fields["load_a"]:
            self.a = 0 if fields.get("clear_a") else words["filled"]
        if fields.get("inverse", 0) == LOAD:
            self.divisor, self.iterations = words["filled"], 0
        self.iterations += busy
        if self.contract.alone and fields.get("inverse", 0) in (LOAD, ITERATE):
            self.a = self.first = self.total = None

    def _reduced(self, total):
        if total is None:
            return None
        return total + self.m if total < 0 else total - self.m if total >= self.m else total

    def _multiply(self, fields, words):
        for k, row in enumerate(self.flights):
            if fields[f"start_{k}"]:
                row.append([fields.get(f"kind_{k}", 0), -1, {}])
            for flight in row:
                flight[1] += 1
                kind = self.contract.kinds[min(flight[0], len(self.contract.kinds) - 1)]
                for bank, first, last in kind.banks:
                    word = words[f"{bank}_{k}"]
                    if flight[1] == first:
                        flight[2][bank] = word
                    elif flight[1] == last and flight[2].get(bank) != word:
                        flight[2][bank] = None

    def _product(self, k):
        for number, age, held in self.flights[k] if k < len(self.flights) else ():
            kind = self.contract.kinds[min(number, len(self.contract.kinds) - 1)]
            if age == kind.latency - 1:
                x, y = held.get("x"), held.get("y", held.get("x"))
                if kind.square and y != x:
                    return None
                pairs = [(x, y), (held["x2"], held.get("y2"))] if "x2" in held else [(x, y)]
                if any(factor is None or factor >= self.m for pair in pairs for factor in pair):
                    return None
                found = sum(p * q for p, q in pairs) * self.back % self.m
                return found + (kind.multiple - 1) * self.m * (age + found & 1)  # any multiple of m below the bound
        return None


def lower_bits(operands, claim):
    """The bits of the scalar that the scalar unit gives, the first one first."""
    order, steps = operands["order"], claim.order_bits
    value = (operands["k"] - (1 << steps)) % order if order > 1 else 0
    if claim.lifts and order:
        value = lifted_scalar(operands["k"], order, steps)
    return [value >> at & 1 for at in reversed(range(steps))]


def result_of(parts, claim, operands, cycles, sign=0):
    """The result of an operation after reset; None without one, or with unknown bits."""
    rest, program, position = parts.rest, parts.program, parts.position
    both = {"rest": rest, "program": program}
    simulations = {name: Simulation(netlist, after_reset(netlist, "rst")) for name, netlist in both.items()}
    place = Simulation(position, after_reset(position, "rst"))
    unit = Numbers(claim.contract, operands["m"], parts.macs, sign)
    bits = lower_bits(operands, claim)
    for cycle in range(2 * cycles):
        values = simulations["program"].settle({"rst": (0, 1)}, {})
        word, ready = gather(program.outputs["word"], values), gather(program.outputs["ready"], values)
        fields = fields_at(parts.fields, word[0])
        inputs = {"i_valid": (int(cycle == 0), 1), "o_ready": (1, 1), "rst": (0, 1)}
        inputs |= {f"i_{name}": known(value, rest.widths[rest.inputs[f"i_{name}"]]) for name, value in operands.items()}
        inputs |= {port("sequencer", "word"): word, port("sequencer", "ready"): ready}
        inputs |= {port("position", name): gather(position.outputs[name], place.values) for name in POSITIONS}
        inputs |= unit_outputs(parts, unit, fields, sign)
        inputs[port("scalar", "zero")] = known(operands["order"] == 0, 1)
        values = simulations["rest"].settle(inputs, {})
        if gather(rest.outputs["o_valid"], values) == (1, 1):
            found = {name: gather(rest.outputs[f"o_{name}"], values) for name in ("x", "y", "infinity", "error")}
            widths = {name: sum(n for *_, n in rest.outputs[f"o_{name}"]) for name in found}
            sure = all(k == (1 << widths[name]) - 1 for name, (_, k) in found.items())
            return {name: value for name, (value, _) in found.items()} if sure else None
        start = gather(rest.outputs[port("sequencer", "start")], values)
        simulations["program"].settle({"rst": (0, 1), "start": start}, {})
        wires = {name: gather(rest.outputs[port("position", name)], values) for name in POSITION_INPUTS}
        place.settle(wires | {"rst": (0, 1), "bit": known(bits[0], 1) if bits else UNKNOWN}, {})
        unit.clock(fields, unit_words(parts, values))
        if fields["begin"]:
            bits = bits[1:]
        for simulation in (*simulations.values(), place):
            simulation.clock()
    return None


POSITION_INPUTS = ("y_zero", "g0_zero", "h_zero", "g_zero", "begin", "decide", "initial")


def unit_outputs(parts, unit, fields, sign):
    """Ports that the unit drives."""
    result, rest = unit.result(fields), parts.rest
    bits = rest.widths[rest.inputs[port("arithmetic", "chosen")]]
    return {
        port("arithmetic", "chosen"): UNKNOWN if result is None else known(result, bits),
        port("arithmetic", "negative"): UNKNOWN if unit.negative is None else known(unit.negative, 1),
        port("arithmetic", "inv_sign"): known(sign, 1),
    }


def unit_words(parts, values):
    """Words that the unit gets, None where they have unknown bits."""
    names = {name: port("arithmetic", name) for name in ("read", "filled")}
    for k in range(parts.macs):
        names |= {f"{bank}_{k}": port(f"multiplier_{k}", bank) for bank in ("x", "y", "x2", "y2")}
    found = {}
    for name, full in names.items():
        runs = parts.rest.outputs.get(full, ())
        value, sure = gather(runs, values)
        found[name] = value if runs and sure == (1 << sum(n for *_, n in runs)) - 1 else None
    return found


def operations(parts, claim, seed=1):
    """Operands without end."""
    widths = {name.removeprefix("i_"): parts.rest.widths[source] for name, source in parts.rest.inputs.items()}
    widths = {name: width for name, width in widths.items() if f"i_{name}" in parts.rest.inputs}
    widths.pop("valid")
    return drawn(widths, claim, Random(seed))


def first_failure(parts, claim, cycles, tries, seed=1):
    """The fault of the first of some operations that fails; empty without one."""
    for number, operands in enumerate(islice(operations(parts, claim, seed), tries)):
        wrong = judged(operands, result_of(parts, claim, operands, cycles, number & 1))
        if wrong:
            return wrong
    return ""
