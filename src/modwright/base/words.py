# SPDX-License-Identifier: Apache-2.0
"""Words of messages that depend on numbers."""


def counted(number: int, noun: str) -> str:
    """A number with a noun, which is in the plural unless there is one.

    >>> counted(1, "design"), counted(12_000, "design")
    ('1 design', '12,000 designs')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
