# SPDX-License-Identifier: Apache-2.0
"""Accept or refuse the log of a theorem about one operation, from the Verilog that it is about.

The words, the polynomials and the claim are derived again from the Verilog. Then the log is compared with them: its
atoms, evaluated from their own definitions next to simulated operations, give the words of the netlist and the quotient
that was derived here. By the log, control was proved to be as assumed in every run, and the streams to keep order;
the checker verifies that nothing is assumed that the log does not name.
"""

from __future__ import annotations

import json
import operator
import random
import sys
from functools import reduce
from math import prod
from pathlib import Path

from .claims import Digits, Key, Log, PolynomialClaim
from .netlist import RefusedError, Value, constant
from .proving import Check
from .residues import Part, Polynomial, ResidueClaim, Total, Vector, integer, joined, moduli_of
from .words import forget

SIMULATED, MOST_SIMULATED = 20, 1_000_000
"""Simulated operations with which the log is compared, and the most that may be requested."""
USAGE = (
    f"usage: python -m modwright.checker LOG CORE.v [OPERATIONS]; OPERATIONS are {SIMULATED} if not given, and "
    f"{MOST_SIMULATED:,} at most"
)


def evaluate(poly: Polynomial, values: list[int]) -> tuple[int, int]:
    """Numerator and shift of a polynomial of the log."""
    shift, terms = poly
    total = 0
    for factor, atoms in terms:
        one = int(factor, 16)
        for atom in atoms:
            one *= values[atom]
        total += one
    return total, shift


def whole(poly: Polynomial, values: list[int]) -> int:
    """Value of a polynomial of the log, which must be an integer."""
    total, shift = evaluate(poly, values)
    if total & ((1 << shift) - 1):
        raise RefusedError("a polynomial of the log is not an integer")
    return total >> shift


def values_of(check: Check, operands: dict[str, int]) -> list[int]:
    """Values of the log's atoms, each from its own definition."""
    values: list[int] = []
    m = operands[check.claim["modulus"]] if check.m is None else check.m
    for name, low, high, kind, *rest in check.log["atoms"]:
        if kind == "input":
            value = operands[name.removeprefix("i_")]
        elif kind == "and":
            value = reduce(operator.and_, (whole(step, values) for step in rest))
        elif kind == "xor":
            value = reduce(operator.xor, (whole(step, values) for step in rest))
        elif kind == "table":
            value = rest[1][sum(whole(bit, values) << k for k, bit in enumerate(rest[0]))]
        elif kind == "times":
            value = ((whole(rest[0], values) << rest[1]) - 1) // m
        elif kind == "lookup":
            value = word_of(whole(rest[0], values) - rest[1], rest[2])
        else:
            value = whole(rest[0], values)
            tests = {"low": value % (1 << rest[1]), "negative": value < 0, "nonzero": value != 0, "value": value}
            value = int((tests | {"floor": value >> rest[1]})[kind])
        if not int(low, 16) <= value <= int(high, 16):
            raise RefusedError(f"{name} is not in its interval")
        values.append(value)
    return values


def word_of(row: int, words: list[str]) -> int:
    """A word of a table in the log."""
    if not 0 <= row < len(words):
        raise RefusedError("an address is outside of its table")
    return int(words[row], 16)


def replay(check: Check, operands: dict[str, int]) -> None:
    """Check that the log's atoms, for an operation's operands, give the netlist's result and a multiple of the
    modulus."""
    claim = check.claim
    values = values_of(check, words_of(check, operands))
    z = [whole(p, values) for p in (check.log["words"] if check.subject.has_words else [check.log["z"]])]
    ones = {"rst": 0, "i_valid": 1, "o_ready": 1}
    given: dict[Key, Value] = {name: ((None, value, check.sizes[name]),) for name, value in ones.items()}
    given |= {"i_" + n: ((None, v, check.sizes["i_" + n]),) for n, v in operands.items()}
    run = check.run(check.start, given, {})
    left, results = list(z), check.results(run)
    for field, (bits, count) in (check.subject.results or {claim["result"]: (0, 1)}).items():
        result, words, left = constant(results[field]), left[:count], left[count:]
        if result != sum(word << bits * k for k, word in enumerate(words)):
            raise RefusedError("the log's result is not the netlist's")
    if check.of_residues:
        replay_integer(check.of_residues, check.log["sum"], operands, values, z)
        return
    if check.subject.coefficients:
        replay_coefficients(check.subject.coefficients, check.log, operands, values, z)
        return
    m = operands[claim["modulus"]] if check.m is None else check.m
    total = sum(prod(operands[name] for name in names) for names in claim["terms"])
    quotient, shift = evaluate(check.log["quotient"], values)
    if ((z[0] << claim["exponent"]) - total) << shift != quotient * m:
        raise RefusedError("the log's quotient is wrong")


def words_of(check: Check, operands: dict[str, int]) -> dict[str, int]:
    """Operands by word, as the log's atoms have them."""
    found = dict(operands)
    for name, (bits, count) in check.subject.operands.items():
        for k in range(count):
            found[f"{name}[{k}]"] = operands[name] >> k * bits & ((1 << bits) - 1)
    return found


def replay_integer(
    claim: ResidueClaim, total: Total, operands: dict[str, int], values: list[int], z: list[int]
) -> None:
    """Check that the words of the result are those of an integer in range that is congruent to the product, and that
    the log's integers are that."""
    pairs, V = moduli_of(claim["vector"]), 1
    for name, vector in claim["operands"].items():
        bits = vector["bits"]
        words = [operands[name] >> k * bits & ((1 << bits) - 1) for k, _ in enumerate(vector["moduli"])]
        V *= from_least(integer(words, vector), vector)
    Z, limit = from_least(integer(z, claim["vector"]), claim["vector"]), int(claim["vector"]["limit"], 16)
    if limit <= Z or (Z - int(claim["factor"], 16) * V) % int(claim["modulus"], 16):
        raise RefusedError("the result is another integer")
    reduced, moduli = total.get("reduced"), moduli_of(next(iter(claim["operands"].values())))
    formed = int(total["constant"], 16) + value_of(total, values)
    of_digits = V if reduced is None else Z
    check_digits(total, moduli if reduced is None else pairs, of_digits, values)
    if reduced is not None:
        check_digits(reduced, moduli, V, values)
        M = prod(moduli[k][0] for _, k, _ in reduced["digits"])
        if int(reduced["product"], 16) * V + value_of(reduced, values, M) != Z * M:
            raise RefusedError("the log's integer of a reduction is wrong")
        pairs = [pairs[k] for k, _ in enumerate(pairs) if k not in [k for _, k, _ in total["digits"]]]
        z = [word for k, word in enumerate(z) if k not in [k for _, k, _ in total["digits"]]]
    if any((word - s * formed) % m for word, (m, s) in zip(z, pairs, strict=True)):
        raise RefusedError("the log's integer has other residues than the result")
    if len(claim["operands"]) > 1 and reduced is None and formed != Z:
        raise RefusedError("the log's integer is wrong")


def replay_coefficients(
    claim: PolynomialClaim, log: Log, operands: dict[str, int], values: list[int], z: list[int]
) -> None:
    """Check that the words of the result are those of coefficients in range, and congruent to the product; and that
    the log's quotients and coefficients are integers with the words that it says."""
    X, Y = (coefficients_of(given, claim["degree"], operands) for given in claim["operands"].values())
    result, start = dict[str, int](), 0
    for field, base in claim["digits"]["bases"].items():
        bits, count = claim["digits"]["bits"][field], claim["degree"] * len(base)
        result[field] = sum(word << bits * k for k, word in enumerate(z[start : start + count]))
        start += count
    Z, p = coefficients_of(claim["digits"], claim["degree"], result), int(claim["modulus"], 16)
    x, y, z_value = (sum(c * int(claim["radix"], 16) ** k for k, c in enumerate(number)) for number in (X, Y, Z))
    if max(Z) >= int(claim["digits"]["limit"], 16) or (z_value - x * y) % p:
        raise RefusedError("the result is another integer")
    pairs = [(int(m, 16), 1) for base in claim["digits"]["bases"].values() for m in base]
    V = [sum(int(n, 16) * X[i] * Y[j] for i, j, n in form["products"]) for form in log["coefficients"]]
    Q: list[int] = []
    for quotient, of in zip(log["quotients"], V, strict=True):
        u, M = int(quotient["power_of_two"], 16), prod(pairs[c][0] for _, c, _ in quotient["digits"])
        found, rest = divmod(u * of + value_of(quotient, values, u * M), u * M)
        if rest or not int(quotient["least"], 16) <= found <= int(quotient["most"], 16):
            raise RefusedError("a quotient of the log is not an integer between its ends")
        check_digits(quotient, pairs, of, values)
        check_digits({"words": [], "tables": [], "digits": quotient["hats"]}, pairs, found, values)
        Q.append(found)
    for form, of, found in zip(log["coefficients"], V, Z, strict=True):
        total = int(form["constant"], 16) + of + sum(int(c, 16) * values[t] for t, c in form["words"])
        if total + sum(int(c, 16) * Q[j] for j, c in form["quotients"]) != found:
            raise RefusedError("a coefficient of the log is another integer")
        for j, part in form["extended"]:
            A = prod(m for c, (m, _) in enumerate(pairs) if c not in [c for _, c, _ in part["digits"]])
            if (value_of(part, values) - int(dict(form["quotients"])[j], 16) * Q[j]) % A:
                raise RefusedError("an extension of the log is another integer")


def coefficients_of(digits: Digits, degree: int, values: dict[str, int]) -> list[int]:
    """The coefficients whose words some fields have."""
    found: list[int] = []
    for k in range(degree):
        residues: list[int] = []
        for field, base in digits["bases"].items():
            bits = digits["bits"][field]
            residues += [values[field] >> (k * len(base) + i) * bits & ((1 << bits) - 1) for i, _ in enumerate(base)]
        pairs = [(int(m, 16), 1) for base in digits["bases"].values() for m in base]
        found.append(joined(residues, pairs) % prod(m for m, _ in pairs))
    return found


def from_least(number: int, vector: Vector) -> int:
    """The integer with the residues of a number from the least of a vector on."""
    M = prod(m for m, _ in moduli_of(vector))
    return int(vector["least"], 16) + (number - int(vector["least"], 16)) % M


def value_of(part: Part, values: list[int], times: int = 1) -> int:
    """The sum of words with factors, and of a table's word times a number."""
    found = sum(int(factor, 16) * values[atom] for atom, factor in part["words"])
    for address, bits, least, words in part["tables"]:
        found += times * word_of(whole(address, values) % (1 << bits) - least, words)
    return found


def check_digits(part: Part, moduli: list[tuple[int, int]], of: int, values: list[int]) -> None:
    """Check that the log's words are multiples of an integer in their channels."""
    for atom, channel, factor in part["digits"]:
        if (values[atom] - int(factor, 16) * of) % moduli[channel][0]:
            raise RefusedError("a word is not a multiple of the integer that the log says")


def draw(check: Check, rng: random.Random) -> dict[str, int]:
    """Draw operands in range."""
    claim = check.claim
    operands: dict[str, int] = {}
    for name, vector in check.of_residues["operands"].items() if check.of_residues else ():
        least, limit = int(vector["least"], 16), int(vector["limit"], 16)
        X, bits = rng.choice((limit - 1, rng.randrange(least, limit), least)), vector["bits"]
        words = [drawn_word(s * X, m, bits, rng) for m, s in moduli_of(vector)]
        operands[name] = sum(word << k * bits for k, word in enumerate(words))
    special = check.subject.coefficients
    for digits in special["operands"].values() if special else ():
        limit = int(digits["limit"], 16)
        X = [rng.choice((limit - 1, rng.randrange(limit), 0)) for _ in range(special["degree"] if special else 0)]
        for field, base in digits["bases"].items():
            bits = digits["bits"][field]
            words = [drawn_word(c, int(m, 16), bits, rng) for c in X for m in base]
            operands[field] = sum(word << k * bits for k, word in enumerate(words))
    if check.m is None:
        name, n = claim["modulus"], check.sizes["i_" + claim["modulus"]]
        operands[name] = rng.choice((rng.getrandbits(n) | 1 | 1 << (n - 1), rng.getrandbits(n) | 3, (1 << n) - 1))
    m = operands[claim["modulus"]] if check.m is None else check.m
    for field, kind, bits in claim["relations"]:
        operands[field] = -pow(m, -1, 1 << bits) % (1 << bits) if kind == "inverse" else pow(2, bits, m)
    for field, (factor, of) in claim["operands"].items():
        most = int(factor, 16) * (operands[of] if of else 1)
        operands[field] = rng.choice((most - 1, rng.randrange(most), rng.randrange(most), 0))
    return operands


def drawn_word(number: int, m: int, bits: int, rng: random.Random) -> int:
    """Any word of so many bits that is congruent to a number."""
    word = number % m
    return word + m * rng.randint(0, ((1 << bits) - 1 - word) // m)


def check(log: Log, path: Path, operations: int = SIMULATED) -> None:
    """Accept a log, or raise `RefusedError`."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)
    forget()
    try:
        found = Check(log, path)
        found.unroll()
        found.prove()
        rng = random.Random(1)
        for _ in range(operations):
            replay(found, draw(found, rng))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise RefusedError(f"the log is incomplete: {type(error).__name__} {error}") from None
    finally:
        sys.setrecursionlimit(before)


def _regular(name: str) -> Path:
    """The path of a file, which a device without an end or a pipe without a writer is not."""
    path = Path(name)
    if not path.exists():
        raise RefusedError(f"{name} does not exist")
    if not path.is_file():
        raise RefusedError(f"{name} is not a regular file")
    return path


def main(arguments: list[str]) -> int:
    """Command line: a log, the Verilog, and maybe the number of simulated operations; 0 when it is accepted."""
    if arguments in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    log, verilog, count = [*arguments, str(SIMULATED)][:3] if len(arguments) in (2, 3) else ("", "", "")
    operations = int(count) if count.isascii() and count.isdigit() and len(count) <= len(str(MOST_SIMULATED)) else 0
    if not 1 <= operations <= MOST_SIMULATED:
        print(USAGE, file=sys.stderr)
        return 2
    try:
        check(json.loads(_regular(log).read_text(encoding="utf-8")), _regular(verilog), operations)
    except json.JSONDecodeError as error:
        print(f"refused: {log} is not JSON: {error}")
        return 1
    except (RefusedError, OSError, ValueError, RecursionError) as error:
        print(f"refused: {error}")
        return 1
    print("accepted")
    return 0
