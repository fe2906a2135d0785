# SPDX-License-Identifier: Apache-2.0
"""Executes the control words of a point multiplier on plain integers, cycle by cycle, and holds every rule of the
machine.

Written from the description of the words, without the RTL and without the graphs: a word that is read too late, an
operand that changes while it is used, or two users of one resource fail here."""

import random
from dataclasses import dataclass, field

from modwright.cores.ecpm.ladder.plan.ladder import Mode, begin, lifted_scalar, reduced_scalar
from modwright.cores.ecpm.ladder.plan.microcode import (
    CURVE_RANGE,
    EXTERNAL,
    FLIPS,
    POINT_RANGE,
    Y_NEXT_TO_A,
    ZEROS,
)
from modwright.engines.ladder.control import FROM_UNIT, ITERATE, LOAD, MINUS, MODULUS, PLUS, RESULT, machine_of
from modwright.engines.ladder.inversion import invert
from modwright.engines.ladder.words import WORDS
from modwright.engines.limb.units import SUM

NAMES = {number: name for name, number in EXTERNAL.items()} | {Y_NEXT_TO_A: "y"}


class RuleError(AssertionError):
    """The words break a rule of the machine."""


@dataclass
class Unit:
    """A multiplier: its operand registers, and the operations in flight."""

    registers: dict = field(default_factory=lambda: dict.fromkeys(("x", "y", "x2", "y2"), 0))
    running: list = field(default_factory=list)  # (start, kind, operands read so far)


class Words:
    """One operation, by the words.

    Parameters
    ----------
    p : EcpmParameters
    schedule : Schedule
    given : mapping of str to int
        The input payload.
    seed : int
        Of what undefined words and unreduced products hold.
    """

    def __init__(self, p, schedule, given, seed=1):
        self.p, self.given, self.m = p, given, given["m"]
        self.code, self.machine = schedule.microcode, machine_of(p, schedule.parts)
        self.rng = random.Random(seed)
        self.words = [self.rng.randrange(self.m) for _ in range(WORDS)]
        self.units = [Unit() for _ in range(p.macs)]
        self.flags = dict.fromkeys(ZEROS[1:], False)
        self.a = self.stored = 0
        self.added = False  # the first sum was used in the cycle before
        self.inversion = None  # operand and iterations so far
        self.inverse = 0  # field of the cycle before
        self.now = self.before = self.first = self.bad_range = False
        self.position = begin(False, False)
        self.fresh_now = False
        self.bits = []
        self.out = {}
        self.back = pow(2, -p.T, self.m)

    def run(self):
        """Plays everything; the cycles, and x, y and infinity before errors are looked at."""
        steps = self.p.order_bits
        reduced = lifted_scalar if self.p.lifts_scalar else reduced_scalar
        rest = reduced(self.given["k"], self.given["order"], steps)
        self.bits = [bool(rest >> at & 1) for at in reversed(range(steps))]
        for cycle, word in enumerate(self.code.issued()):
            self.cycle(cycle, word)
        assert word["end"]
        return self.code.cycles

    # --- a cycle

    def cycle(self, cycle, word):
        """One word."""
        get = word.get
        found = self._read(word)
        w = self._second_sum(word)
        filled = w if get("forward") else found
        if get("inverse") == LOAD:
            self.inversion = [filled, 0, None]
        total = self._first_sum(cycle, word, found)
        self._alone(cycle, word)
        self._units(cycle, word, filled)
        if get("write") and not (get("tail") and self.first):
            if w is None or not 0 <= w < 2 * self.m:
                raise RuleError(f"cycle {cycle}: {w} is written")
            self.words[get("into", 0) ^ self._flip(get("into_flip", 0))] = w
        self._flags(word, found)
        if get("load_a"):
            self.a = 0 if get("clear_a") else filled
        self.added = total is not None
        self.stored = total
        for name in ("x", "y"):
            if get(f"{name}_out"):
                self.out[name] = found

    def _flip(self, number):
        name = FLIPS[number]
        nothing = self.position.mode is Mode.NOTHING
        order_3 = self.position.mode is Mode.FRESH and self.flags["x_zero"] and self.flags["a_zero"]
        known = {
            "": False,
            "now": self.now,
            "before": self.before,
            "x_zero": self.flags["x_zero"],
            "mirror": self.position.mirror,
            "direct": nothing or order_3,
            "negate": nothing and self.position.mirror,
        }
        return int(self.inversion[2] if name == "inv_sign" else known[name])

    def _read(self, word):
        address = word.get("read", 0) ^ self._flip(word.get("flip", 0))
        if word.get("fresh") and self.fresh_now:
            address ^= 8
        return self.given[NAMES[address]] if address >= WORDS else self.words[address]

    # --- adder

    def _first_sum(self, cycle, word, found):
        code, second = word.get("first", 0), word.get("second", 0)
        if not second and not word.get("one"):
            return None
        x = self.a
        if code:
            x = self._result(cycle, code - FROM_UNIT)
        total = x + {0: 0, PLUS: found, MINUS: -found, MODULUS: -self.m}[second] + word.get("one", 0)
        if not -self.m <= total < 3 * self.m:
            raise RuleError(f"cycle {cycle}: the first sum is {total}")
        if word.get("inverse") in (ITERATE, RESULT):
            raise RuleError(f"cycle {cycle}: a sum and an iteration at once")
        return total

    def _second_sum(self, word):
        inverse = word.get("inverse")
        if inverse in (ITERATE, RESULT) and self.added:
            raise RuleError("a sum's second cycle and an iteration at once")
        if inverse == ITERATE:
            self.inversion[1] += 1
        if inverse == RESULT:
            value, self.inversion[2] = invert(self.inversion[0], self.m, self.inversion[1])
            return value
        if not self.added:
            return None
        if self.stored < 0:
            return self.stored + self.m
        return self.stored - self.m if self.stored >= self.m else self.stored

    def _alone(self, cycle, word):
        """An inversion in the adder's registers: its cycles follow each other, and nothing else takes the adder."""
        inverse = word.get("inverse", 0)
        if not self.machine.alone:
            return
        if self.inverse in (LOAD, ITERATE) and inverse not in (ITERATE, RESULT):
            raise RuleError(f"cycle {cycle}: an inversion that waits")
        if inverse in (LOAD, ITERATE) and any(word.get(name) for name in ("load_a", "first", "second", "one")):
            raise RuleError(f"cycle {cycle}: a sum in an inversion that is alone")
        self.inverse = inverse

    # --- multipliers

    def _units(self, cycle, word, filled):
        for k, unit in enumerate(self.units):
            if word.get(f"start_{k}"):
                kinds = self.p.kinds
                kind = kinds[word.get(f"kind_{k}", 0)]
                if unit.running and cycle - unit.running[-1][0] < self.machine.timings[unit.running[-1][1]].interval:
                    raise RuleError(f"cycle {cycle}: multiplier {k} starts too early")
                unit.running.append((cycle, kind, {}))
            for start, kind, operands in unit.running:
                for bank, first, last in self.machine.timings[kind].banks:
                    if start + first <= cycle <= start + last:
                        value = operands.setdefault(bank, unit.registers[bank])
                        if value != unit.registers[bank]:
                            raise RuleError(f"cycle {cycle}: operand {bank} of multiplier {k} changes")
            for bank in unit.registers:
                if word.get(f"load_{bank}_{k}"):
                    unit.registers[bank] = filled

    def _result(self, cycle, k):
        unit = self.units[k]
        ready = [row for row in unit.running if cycle == row[0] + self.machine.timings[row[1]].latency - 1]
        if len(ready) != 1:
            if self.first:  # of the step before the first one, which there is not
                return self.rng.randrange(self.m)
            raise RuleError(f"cycle {cycle}: multiplier {k} has no result")
        unit.running.remove(ready[0])
        _, kind, v = ready[0]
        if max(v.values()) >= self.m:
            raise RuleError(f"cycle {cycle}: an operand is not reduced")
        total = v["x"] * v["y"] + (v["x2"] * v["y2"] if kind == SUM else 0)
        return total * self.back % self.m + self.m * self.rng.randrange(self.p.unit.multiple(kind))

    # --- flags

    def _flags(self, word, found):
        get = word.get
        if get("range") in (POINT_RANGE, CURVE_RANGE) and self.stored >= 0:
            self.bad_range = True
        if get("decide"):
            g_zero = self.flags["g0_zero" if self.position.mode is Mode.FRESH else "g_zero"]
            self.position = self.position.after(
                self.bit, g_zero=g_zero, h_zero=self.flags["h_zero"], y_zero=self.flags["y_zero"]
            )
        if get("zero") and not (get("tail_flag") and self.first):
            self.flags[ZEROS[get("zero")]] = found == 0
        if get("initial"):
            self.position = begin(False, self.flags["y_zero"])
        if get("begin"):
            self.bit = self.bits.pop(0) if self.bits else False
            self.before, self.now = self.now, self.position.exchanged(self.bit)
            self.fresh_now = self.position.mode is Mode.FRESH
            self.first = bool(get("first_step"))
