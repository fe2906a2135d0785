# SPDX-License-Identifier: Apache-2.0
"""The rules of plus-minus inversion: divisors of a pass, exchange of U and V, and the bound of the passes.

A pass takes V3 to (V3 + s·U3)/D and V1 to (V1 + s·U1 + f·P)/D, with s = 0 while 2 or 3 divides V3, else s = ±1 such
that 3 divides V3 + s·U3, or 4 where threes are not divided out. V1·A ≡ V3 and U1·A ≡ U3 (mod P) hold throughout. D is
the largest 2^a·3^b with a and b at most those of the kind, so that small residues suffice. Bigou and
Tisserand 2016, Algorithm 1, with their loops of divisions and of plus-minus steps as passes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Kind:
    """One of the algorithms.

    Parameters
    ----------
    name : str
    twos, threes : int
        Largest exponents of 2 and of 3 in a divisor.
    """

    name: str
    twos: int
    threes: int

    @property
    def small(self) -> int:
        """Modulus of the residues that decide."""
        return 2**self.twos * 3**self.threes

    @cached_property
    def divisors(self) -> tuple[int, ...]:
        """Every D, in ascending order of (b, a)."""
        return tuple(2**a * 3**b for b in range(self.threes + 1) for a in range(self.twos + 1) if a + b)

    @property
    def least_gain(self) -> int:
        """Least gain of any two passes in a row, in bits.

        A division by 2 alone gains 2, and no division follows it; every other pass gains 3 or more, or 2 where threes
        are not divided out.
        """
        return 5 if self.threes else 4

    def divisor(self, x: int) -> int:
        """The largest D that divides x."""
        return max((d for d in self.divisors if x % d == 0), default=1)

    def gain(self, divisor: int) -> int:
        """Least number of half bits by which a division shortens a number: 2a + 3b."""
        a = (divisor & -divisor).bit_length() - 1
        b = 0
        while divisor % 3 == 0:
            divisor, b = divisor // 3, b + 1
        return 2 * a + 3 * b

    def most_passes(self, bits: int) -> int:
        """Passes after which V3 is 0 or ±1, for P of `bits` bits and A < 2P.

        With c = 2P, |U3| ≤ c·2^-u and |V3| ≤ c·2^-v hold when u and v count half bits of gain, a plus-minus step being
        worth one bit less. While |V3| ≥ 2 and |U3| ≥ 1, 2u + 2v ≤ 4·log2(c) - 2 < 4·bits + 2.
        """
        pairs, rest = divmod(4 * bits + 2, self.least_gain)
        return 2 * pairs + (rest >= 2) + 1


BMI = Kind("bmi", 2, 0)
BTMI = Kind("btmi", 2, 1)
FUSED = Kind("btmi-fused", 4, 2)


RESIDUES_V3, RESIDUES_V1 = 1, 2
"""Field `keep` of control words: the number whose small residues are stored."""


@dataclass(frozen=True)
class Rules:
    """The rules of a pass for the unit that decides.

    Parameters
    ----------
    kind : Kind
    modulus : int
        P.
    length : int
        Bits: operands are below 2^(length + 1); bits of P where they are below 2P.
    kappa : int
        Constant κ: V1 and U1 are held with κP added.
    local : bool
        Whether rowers have copies of control, so that their clock rate justifies registers in the decision.
    """

    kind: Kind
    modulus: int
    length: int
    kappa: int
    local: bool

    @property
    def most_passes(self) -> int:
        """Bound of the number of passes."""
        return self.kind.most_passes(self.length)

    @property
    def most_balance(self) -> int:
        """Largest absolute value of 2v - 2u: 4·length + 2 (`Kind.most_passes`), and 14 for the last pass."""
        return 4 * self.length + 16

    @property
    def cuts(self) -> int:
        """Registers that cut the residues modulo 3 and 9 and the decision from them: 1 with `local`."""
        return int(self.local and self.kind.threes > 0)

    @cached_property
    def coefficient(self) -> int:
        """Largest coefficient of P/D, which is f + κ·(D - 1 - s)."""
        largest = max(self.kind.divisors)
        return max(1, largest // 2 + self.kappa * largest)


@dataclass(frozen=True)
class Pass:
    """Operation of one pass: V + sign·U, divided; and whether U and V are exchanged before."""

    divisor: int
    sign: int
    swap: bool


@dataclass
class Flow:
    """State on which control depends: U3, V3 and the counter.

    Parameters
    ----------
    kind : Kind
    U3, V3 : int
        Values of U3 and V3, P and A at the beginning.
    balance : int
        2v - 2u.
    """

    kind: Kind
    U3: int
    V3: int
    balance: int = 0

    @property
    def done(self) -> bool:
        """Whether V3 is ±1, or 0 for an operand without inverse."""
        return -1 <= self.V3 <= 1

    def step(self) -> Pass:
        """One pass."""
        kind, V, U = self.kind, self.V3, self.U3
        if V % 2 == 0 or (kind.threes and V % 3 == 0):
            divisor, sign = kind.divisor(V), 0
            self.V3 //= divisor
            self.balance += kind.gain(divisor)
            return Pass(divisor, sign, False)
        sign = 1 if (V + U) % (3 if kind.threes else 4) == 0 else -1
        total = V + sign * U
        divisor = kind.divisor(total)
        swap = self.balance > 0
        if swap:
            self.U3, self.balance = V, -self.balance
        self.V3 = total // divisor
        self.balance += kind.gain(divisor) - 2
        return Pass(divisor, sign, swap)


def factor(y: int, divisor: int, modulus: int) -> int:
    """Multiple f with D | y + f·P, in [-ceil(D/2) + 1, floor(D/2)]."""
    f = -y * pow(modulus, -1, divisor) % divisor
    return f - divisor if f > divisor // 2 else f


def invert(kind: Kind, modulus: int, a: int, start: int = 1) -> tuple[int | None, int]:
    """Result start·a^-1 + (0 or P or 2P) by passes, and their number; None when a has no inverse.

    The result lies in ]0, 2P[ for |start| ≤ P and 0 ≤ a < 2P.
    """
    flow, U1, V1, count = Flow(kind, modulus, a), 0, start, 0
    while not flow.done:
        step = flow.step()
        count += 1
        total = V1 + step.sign * U1
        if step.swap:
            U1 = V1
        V1 = (total + factor(total, step.divisor, modulus) * modulus) // step.divisor
    if flow.V3 == 0:
        return None, count
    return flow.V3 * V1 + modulus, count


def counter(kind: Kind, modulus: int) -> Callable[[int], tuple[int, int]]:
    """A function from an operand to the plus-minus steps and the passes that only divide; `Flow`, made fast.

    A pass depends only on V3 and U3 modulo the kind's small number, so tables decide it.
    """
    small = kind.small
    largest = [kind.divisor(rest or small) for rest in range(small)]
    gains = {d: kind.gain(d) for d in (1, *kind.divisors)}
    divide = [(d, gains[d]) if d > 1 else None for d in largest]

    def plus_minus(v: int, u: int) -> tuple[bool, int, int]:
        """Sign, D and gain of a plus-minus step."""
        plus = (v + u) % (3 if kind.threes else 4) == 0
        divisor = largest[(v + u if plus else v - u) % small]
        return plus, divisor, gains[divisor] - 2

    step = [plus_minus(v, u) for v in range(small) for u in range(small)]

    def count(a: int) -> tuple[int, int]:
        U, V, u, balance, steps, divisions = modulus, a, modulus % small, 0, 0, 0
        while not -1 <= V <= 1:
            v = V % small
            found = divide[v]
            if found is not None:
                V //= found[0]
                balance += found[1]
                divisions += 1
                continue
            plus, divisor, gain = step[v * small + u]
            total = V + U if plus else V - U
            if balance > 0:
                U, u, balance = V, v, -balance
            V = total // divisor
            balance += gain
            steps += 1
        return steps, divisions

    return count
