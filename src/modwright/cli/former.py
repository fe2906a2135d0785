# SPDX-License-Identifier: Apache-2.0
"""Command lines of earlier versions: forms of `synth` (--rtl, --vivado, --import) that are commands now, and options
with another name today."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_FORMER = {
    "--import": (("vivado", "import"), None),
    "--rtl": (("synth-rtl",), None),
    "--vivado": (("vivado", "export"), "--output"),
}
"""Command of today, and its option (None: an argument), by the option that distinguished the forms of `synth`."""


_RENAMED = {"simulate": {"--engine": "--simulator"}, "rsa": {"--engine": "--simulator"}}
"""By command: options of earlier versions, and their names of today."""


def of_today(words: Sequence[str]) -> list[str]:
    """The words of a command line, those of earlier versions as they are written today.

    Parameters
    ----------
    words : sequence of str
        From the command's name on.
    """
    words = list(words)
    if words and words[0] in _RENAMED:
        return [_with_name_of_today(word, _RENAMED[words[0]]) for word in words]
    if not words or words[0] != "synth":
        return words
    given = {word.partition("=")[0] for word in words[1:]}
    option = next((name for name in _FORMER if name in given), None)
    if option is None:
        return words
    command, name = _FORMER[option]
    return [*command, *(new for word in words[1:] for new in _renamed(word, option, name))]


def _with_name_of_today(word: str, names: Mapping[str, str]) -> str:
    """A word of the command line, with the option's name of today."""
    own, sign, value = word.partition("=")
    return names.get(own, own) + sign + value


def _renamed(word: str, option: str, name: str | None) -> list[str]:
    """A word of the command line; of `option`, by the name of today, or without one."""
    own, sign, value = word.partition("=")
    if own != option:
        return [word]
    if name is None:
        return [value] if sign else []
    return [f"{name}={value}" if sign else name]
