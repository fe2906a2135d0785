# SPDX-License-Identifier: Apache-2.0
"""Request files: YAML of any form, depth and size, and values of every kind where another is due."""

from __future__ import annotations

from collections.abc import Iterator

from .case import Case


def laughs(lines: int, key: str) -> str:
    """Ten aliases to ten aliases and so on, as the value of `key`."""
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, lines)]
    return "\n".join(["core: modmul/csa", *rows, f"{key}: *a{lines - 1}", ""])


def laughing_value(key: str) -> str:
    """The same inside of one value."""
    levels = ["&a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"&a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    return f"core: modmul/csa\n{key}:\n" + "".join(f"- {level}\n" for level in levels)


HEAD = "core: modmul/csa\n"

NO_REQUESTS: dict[str, str | bytes] = {
    "empty": "",
    "spaces": "   \n\n",
    "a comment": "# nothing\n",
    "a list": "- core\n",
    "a text": "modmul/csa\n",
    "a number": "97\n",
    "null": "null\n",
    "no core": "modulus: 97\n",
    "a core that is null": "core:\n",
    "a core that is a number": "core: 5\n",
    "a core that is a list": "core: [modmul/csa]\n",
    "a core that is a mapping": "core: {name: modmul/csa}\n",
    "a core that is true": "core: true\n",
    "a core of nothing near": "core: zzz\n",
    "a core of 100000 letters": "core: " + "x" * 100_000 + "\n",
    "an open bracket": "core: [",
    "an open brace": "core: {",
    "an open quote": 'core: "modmul',
    "a tab": "core:\tmodmul/csa\n\tmodulus: 97\n",
    "two documents": "core: modmul/csa\n---\ncore: modmul/csa\n",
    "a directive": "%YAML 9.9\n---\ncore: modmul/csa\n",
    "a tag of Python": "core: !!python/object/apply:os.getcwd []\n",
    "a tag of nobody": "core: !nobody x\n",
    "an alias to nothing": "core: *nothing\n",
    "a value that contains itself": HEAD + "options: &a {bits: *a}\n",
    "a list that contains itself": HEAD + "modulus: &a [*a]\n",
    "a document that contains itself": "&a\ncore: modmul/csa\noptions: *a\n",
    "brackets 900 deep": "[" * 900 + "]" * 900,
    "brackets 100000 deep": "[" * 100_000,
    "braces 900 deep": HEAD + "options: " + "{a: " * 900 + "1" + "}" * 900,
    "lists 900 deep": "- " * 900 + "x\n",
    "blocks 900 deep": "".join(" " * n + f"a{n}:\n" for n in range(900)),
    "keys 900 deep": "? " * 900 + "x\n",
    "laughs in options": laughs(10, "options"),
    "laughs in the modulus": laughs(10, "modulus"),
    "laughs in the target": laughs(10, "target"),
    "laughs in the field": laughs(10, "field"),
    "laughs in the curve": laughs(10, "curve"),
    "laughs in a key of nobody": laughs(10, "colour"),
    "laughs in the core": laughs(10, "other").replace("core: modmul/csa\n", "") + "core: *a9\n",
    "laughs inside of options": laughing_value("options"),
    "laughs inside of the modulus": laughing_value("modulus"),
    "laughs inside of the target": laughing_value("target"),
    "laughs inside of an option": laughing_value("options: {bits: 8}\ntarget"),
    "few laughs in the options": laughs(3, "options"),
    "few laughs in the modulus": laughs(3, "modulus"),
    "few laughs in the target": laughs(3, "target"),
    "20000 values": HEAD + "options: [" + "1, " * 20_000 + "]\n",
    "two megabytes": HEAD + "# " + "x" * 2_000_000 + "\n",
    "a key of nobody": HEAD + "colour: red\n",
    "1000 keys of nobody": HEAD + "".join(f"key{n}: 1\n" for n in range(1000)),
    "a modulus that stands twice": HEAD + "modulus: 97\nmodulus: 101\n",
    "an option that stands twice": HEAD + "options: {bits: 8, bits: 9}\n",
    "a key of 100000 letters": HEAD + "? " + "k" * 100_000 + "\n: 1\n",
    "a key that is null": HEAD + "~: 1\n",
    "a key that is a number": HEAD + "5: 1\n",
    "a key that is a list": HEAD + "[1, 2]: 1\n",
    "a key that is a mapping": HEAD + "{a: 1}: 1\n",
    "a field and a modulus": HEAD + "field: P-256\nmodulus: 97\n",
    "a modulus and a curve": HEAD + "curve: P-256\nmodulus: 97\n",
    "no UTF-8": b"core: \xff\xfe\n",
    "UTF-16": "core: modmul/csa\nmodulus: 97\n".encode("utf-16"),
    "UTF-32": "core: modmul/csa\nmodulus: 97\n".encode("utf-32"),
    "zeros": bytes(1000),
    "random bytes": bytes(range(256)) * 4,
    "a control character": "core: modmul/csa\x07\n",
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(100),
    "JSON that is cut": '{"core": "modmul/csa", ',
    "a merge of nothing": HEAD + "<<: 5\n",
    "a merge of nobody's keys": HEAD + "<<: {colour: red}\n",
    "a set": HEAD + "options: !!set {bits}\n",
    "a binary target": HEAD + "target: !!binary aGVsbG8=\n",
}

VALUES = {
    "null in quotes": '"null"',
    "a list": "[1, 2]",
    "an empty list": "[1]",
    "a mapping": "{a: 1}",
    "a float": "97.5",
    "infinite": ".inf",
    "no number": ".nan",
    "true": "true",
    "a date": "2001-01-01",
    "a time": "2001-01-01T00:00:00Z",
    "sixty to the base": "1:30:00",
    "a form that its tag has not": "!!bool maybe",
    "a map by its tag alone": "!!map [a, b]",
    "a long decimal": "9" * 5000,
    "a longer decimal": "9" * 50_000,
    "a long hexadecimal": "0x" + "f" * 100_000,
    "a long text": "t" * 100_000,
    "a text of no value": "vax",
    "an empty text": '""',
    "binary": "!!binary aGVsbG8=",
    "a set": "!!set {a, b}",
    "a negative number": "-5",
    "zero": "0",
}

KEYS = ("modulus", "field", "curve", "target", "options")


def cases() -> Iterator[Case]:
    """Every case of this class."""
    for name, text in NO_REQUESTS.items():
        yield Case(f"params of {name}", ("params", "r.yaml"), files={"r.yaml": text})
    for key in KEYS:
        for name, value in VALUES.items():
            core = "ecpm/ladder" if key == "curve" else "modmul/binary"
            text = f"core: {core}\n{key}: {value}\n" + ("modulus: 97\n" if key in ("target", "options") else "")
            yield Case(f"{key} that is {name}", ("params", "r.yaml"), files={"r.yaml": text})
    for name, value in VALUES.items():
        text = f"core: modmul/csa\noptions: {{bits: {value}}}\n"
        yield Case(f"an option that is {name}", ("params", "r.yaml"), files={"r.yaml": text})
    for command in (
        ("build", "-o", "out"),
        ("generate", "-o", "out"),
        ("synth",),
        ("simulate", "--random", "1"),
        ("show",),
    ):
        for name in ("empty", "a list", "laughs in options", "brackets 900 deep", "no UTF-8", "a core of nothing near"):
            words = (command[0], "r.yaml", *command[1:])
            yield Case(f"{command[0]} of {name}", words, files={"r.yaml": NO_REQUESTS[name]})
    for part in ("--rsa", "--ec", "--ecdsa"):
        for name in ("empty", "laughs in options", "brackets 900 deep", "a list"):
            words = ("provider", part, "r.yaml", "-o", "out")
            yield Case(f"provider {part} of {name}", words, files={"r.yaml": NO_REQUESTS[name]})
        yield Case(
            f"provider {part} of a multiplier",
            ("provider", part, "r.yaml", "-o", "out"),
            files={"r.yaml": HEAD + "modulus: 97\n"},
        )
    yield Case(
        "provider --ecdsa of a core for short curves",
        ("provider", "--ecdsa", "r.yaml", "-o", "out"),
        message="keys have at least 112",
        files={"r.yaml": "core: ecdsa/joint\noptions: {bits: 64}\n"},
    )
