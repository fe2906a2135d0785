# SPDX-License-Identifier: Apache-2.0
"""The theorem of a point multiplication: program, position, steps by induction, what leaves."""

from __future__ import annotations

from ..decide import UndecidedError
from ..netlist import UnsupportedError, read
from ..theorem import Theorem, settled
from .claim import PointClaim
from .curve import ROLES
from .cut import Parts, parts_of
from .expressions import GIVEN, STATE, Expressions
from .identities import StepClaim, setup_roles
from .induction import BITS, SETUP, Steps, steps_of
from .ladder import Ladder, Tests
from .leaving import Leaving
from .machine import IS_ZERO, Content, PointWords
from .position import check_position
from .product import prove_unit_products
from .program import program_of
from .refute import find_failing_points


def prove_points(verilog: str, top: str, claim: PointClaim, latency: int, *, search: bool = True) -> Theorem:
    """Prove the claim of a module whose parts are modules of their own, or search for operands that fail."""

    def prove() -> None:
        prove_parts(parts_of(verilog, top), claim, latency)
        prove_unit_products(verilog, claim)

    find = (lambda: find_failing_points(read(verilog, top), claim, latency)) if search else None
    return settled(claim.statement, latency, prove, find)


def prove_parts(parts: Parts, claim: PointClaim, latency: int) -> Steps:
    """Prove the claim of a point multiplier's parts, and return its steps.

    Raises
    ------
    UndecidedError
        When a step fails.
    UnsupportedError
        When a part has other ports.
    """
    try:
        return _followed(parts, claim, latency)
    except (KeyError, ValueError) as error:
        raise UnsupportedError(f"a part of the point multiplier has other ports: {error}") from None


def _followed(parts: Parts, claim: PointClaim, latency: int) -> Steps:
    """The steps, after all checks of the parts."""
    ladder = ladder_of(parts, claim, latency)
    check_position(parts.position)
    steps = steps_of(ladder)
    leaving = Leaving(ladder, steps, check_begin(ladder, steps, claim.blind), claim.blind)
    leaving.check()
    for exchanged in BITS:
        check_step(leaving, exchanged)
    return steps


def ladder_of(parts: Parts, claim: PointClaim, latency: int) -> Ladder:
    """The ladder of a point multiplier's program.

    Raises
    ------
    UndecidedError
        When it has another number of steps, or another latency, or reduces the scalar in other steps.
    """
    program = program_of(parts, latency)
    if program.steps != claim.order_bits:
        raise UndecidedError(f"the ladder has {program.steps} steps, and the order {claim.order_bits} bits")
    if program.reductions != claim.reductions:
        raise UndecidedError("the scalar is not reduced in the steps of its unit")
    return Ladder(parts, claim.contract, program, PointWords(Expressions(), claim.bits))


def check_begin(ladder: Ladder, steps: Steps, blind: str) -> dict[str, str]:
    """Check the words of the set-up, the tests with which the ladder begins, and those of steps that begin with these
    words; return the word of each role.

    Raises
    ------
    UndecidedError
        When the set-up is not that of (P, 2P).
    """
    roles = setup_roles(ladder.expressions, steps.words, blind)
    y = ladder.expressions.make(GIVEN, name="y")
    runs = [steps.tests, *steps.decided.values(), *steps.decided_after.values()]
    if any(tests.get("y_zero") != (IS_ZERO, y) for tests in (*runs, ladder.lost_tests(steps.lost))):
        raise UndecidedError("the ladder does not test whether y is 0")
    xr = ladder.expressions.make(STATE, name=roles["XR"] + SETUP)
    if any(tests.get("g0_zero") != (IS_ZERO, xr) for tests in steps.decided.values()):
        raise UndecidedError("the ladder does not test whether 3·P is at infinity")
    return roles


def check_step(leaving: Leaving, exchanged: int) -> None:
    """Check a step; the exit has been followed, so that it is known where M is.

    Raises
    ------
    UndecidedError
        When it does not make the next pair of points.
    """
    steps, roles = leaving.steps, leaving.roles
    made = steps.made[exchanged]
    missing = [role for role in ROLES if roles[role] not in made]
    if missing:
        raise UndecidedError(f"nothing reads {', '.join(missing)} of a step")
    h_zero = _tested(steps.decided[exchanged], "h_zero")
    g_zero = {_tested(steps.decided_after[exchanged, now], "g_zero") for now in BITS}
    for test in g_zero:
        StepClaim(leaving.ladder.expressions, roles, made, bool(exchanged)).check(h_zero, test)


def _tested(tests: Tests, name: str) -> int:
    """The expression that a test is about."""
    content: Content | None = tests.get(name)
    if content is None or content[0] != IS_ZERO or not isinstance(content[1], int):
        raise UndecidedError(f"{name} of a step is not the test of a word")
    return content[1]
