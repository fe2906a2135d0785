# SPDX-License-Identifier: Apache-2.0
"""Errors that reach a user, each with its exit code.

An error states the request, the rule that failed with its numbers, and what to try. A traceback is a bug.
"""

from __future__ import annotations

from collections.abc import Sized
from decimal import Context, Decimal
from fractions import Fraction


class ModwrightError(Exception):
    """Base of every error that is shown without a traceback.

    Parameters
    ----------
    message : str
        Request and the rule that failed, with its numbers.
    hint : str
        Suggestion for the user; empty without one.
    """

    exit_code = 70

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  try: {self.hint}" if self.hint else self.message

    @property
    def reason(self) -> str:
        """The message in one line; its numbers shortened, and in other classes with the rule that failed."""
        words = self.message.splitlines()[0].split()
        return " ".join(shortened(word, _WORD) if word[:1].isdigit() else word for word in words)


class VerificationError(ModwrightError):
    """A simulation or a proof found a difference."""

    exit_code = 1


class FaultError(VerificationError):
    """A result failed the check before its release, and was not released."""


class UsageError(ModwrightError):
    """The request itself is wrong: unknown name, unreadable file, malformed value."""

    exit_code = 2


class NoPathError(UsageError):
    """A design has no path from register to register, so it has no clock rate."""


class ToolMissingError(ModwrightError):
    """A tool that the step needs is not installed."""

    exit_code = 3


class ParameterError(ModwrightError):
    """No parameters satisfy the request; carries the inequality that fails.

    Parameters
    ----------
    message : str
        Request of the user.
    rule : str
        The inequality, in symbols.
    left, right : int, Fraction or None
        Both sides of the rule, exact.
    hint : str
        Suggested change.
    """

    exit_code = 4

    def __init__(
        self,
        message: str,
        *,
        rule: str = "",
        left: int | Fraction | None = None,
        right: int | Fraction | None = None,
        hint: str = "",
    ) -> None:
        self.rule, self.left, self.right = rule, left, right
        text = message
        if rule:
            text += f"\n  rule: {rule}"
        if left is not None and right is not None:
            text += f"\n  but:  {show_number(left)} against {show_number(right)}"
        super().__init__(text, hint)

    @property
    def reason(self) -> str:
        """The message in one line, with the rule that failed, and with its numbers where both are short."""
        sides = [show_number(side) for side in (self.left, self.right) if side is not None]
        short = len(sides) == 2 and max(map(len, sides)) <= _WORD
        rule = self.rule + (f", but {' against '.join(sides)}" if short else "")
        return super().reason + (f" ({rule})" if self.rule else "")


class TargetMissedError(ModwrightError):
    """A stated target (device capacity, clock, cycle budget) was missed."""

    exit_code = 5


class ToolFailedError(ModwrightError):
    """A tool ended with an error of its own; the message holds the end of its log."""

    exit_code = 70


class LimitReachedError(ToolFailedError):
    """A tool was ended at the bounds that its run was given."""


def show_integer(value: int) -> str:
    """Write an integer so that a reader can compare it: in full when short, else with its bit length."""
    short = abs(value) < 10**24  # str() refuses integers of more than 4300 digits
    return str(value) if short else f"{value:#x} ({value.bit_length()} bits)"


def show_number(value: int | Fraction) -> str:
    """Write one side of an inequality: an integer as `show_integer` does, a fraction to 9 digits."""
    if value.denominator == 1:
        return show_integer(value.numerator)
    nine = Context(prec=9)
    return str(nine.divide(Decimal(value.numerator), Decimal(value.denominator)))


REASON = 160
"""Characters of a reason in a list of reasons."""
_WORD = 24
"""Characters of a number in a reason."""
_SHOWN = 60
"""Characters of a user's text in a message."""


def shortened(text: str, most: int = _SHOWN) -> str:
    """Shorten a text to at most `most` characters: its beginning and its end."""
    if len(text) <= most:
        return text
    start = most * 2 // 3
    return f"{text[:start]}…{text[len(text) - (most - start - 1) :]}"


def unnamed(reason: str, name: str) -> str:
    """A reason without the name of its core at the begin, for a list that says the name."""
    return reason.removeprefix(name).removeprefix(":").removeprefix(" is").strip()


def quoted(value: object) -> str:
    """Quote a user's value of any kind and size in one line; a large value is never written in full."""
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return str(value)
    if isinstance(value, int):
        return shortened(show_integer(value))
    if isinstance(value, str):
        return repr(shortened(value))
    if isinstance(value, Sized):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a {type(value).__name__}"
