# SPDX-License-Identifier: Apache-2.0
"""Operations for the test program of the driver: lines, and what each has to give."""

from modwright.catalog import resolve_modulus
from modwright.catalog.points import multiply_point
from modwright.functions import find_function

INFINITY, E_SIGNATURE = 1, -12


def operations(prepared, rng, count):
    """Lines for the program, and what each has to give: None for an error of the core."""
    p, function = prepared.parameters, prepared.core.function
    if function == "ecpm":
        return multiplications(rng, count)
    if function == "xmul":
        return ladders(p, rng, count)
    if function == "edmul":
        return multiples(p.curve, rng, count) if hasattr(p, "curve") else sums(rng, count)
    if function in ("ecdsa", "eddsa"):
        return signatures(function, rng, count)
    bits = (p.modulus or prepared.request.modulus.value).bit_length()
    words = -(-bits // 32)
    lines, expected = [], []
    for number in range(count):
        m = p.modulus or rng.getrandbits(rng.randrange(2, bits + 1)) | 3
        names = find_function(function).operands
        case = {name: (0, 1, m - 1)[number % 3] if number < 9 else rng.randrange(m) for name in names}
        if "exponent" in case:
            width = next(f.width for f in p.i.fields if f.name == "exponent")
            case["exponent"] = ((1 << width) - 1) if number == 4 else rng.getrandbits(width)
        modulus = "-" if p.modulus and number % 2 else f"{m:x}"
        lines.append(f"{function} {words} {' '.join(f'{case[name]:x}' for name in names)} {modulus}")
        found = find_function(function).evaluate(case, resolve_modulus(hex(m))).get("z")
        expected.append(None if found is None else (0, (found,)))
    return lines, expected


def multiplications(rng, count):
    """Points of y² = x³ + 2x + 5 modulo 1009, two not on it; scalars up to the order, which gives infinity."""
    p, a, b = 1009, 2, 5
    points = [(x, y) for x in range(p) for y in range(p) if (y * y - x**3 - a * x - b) % p == 0]
    order = len(points) + 1
    lines, expected = [], []
    for number in range(count):
        x, y = rng.choice(points)
        k = {0: 0, 1: 1, 2: 2, 3: order - 1, 4: order}.get(number, rng.randrange(order))
        if number > count - 3:
            y = (y + 1) % p
        lines.append(f"ecpm 1 {k:x} {x:x} {y:x} {a:x} {b:x} {order:x} {p:x}")
        result = multiply_point(k, (x, y), p, a)
        expected.append((0, result) if result else (INFINITY, (0, 0)))
        if (y * y - x**3 - a * x - b) % p:
            expected[-1] = None
    return lines, expected


def sums(rng, count):
    """Points of 9x² + y² = 1 + 11x²y² modulo 1009, two not on it."""
    p, a, d = 1009, 9, 11
    points = [(x, y) for x in range(p) for y in range(p) if (a * x * x + y * y - 1 - d * x * x * y * y) % p == 0]
    lines, expected = [], []
    for number in range(count):
        x, y = rng.choice(points)
        k = number if number < 5 else rng.randrange(1 << 10)
        if number > count - 3:
            y = (y + 1) % p
        lines.append(f"edmul 1 {k:x} {x:x} {y:x} {a:x} {d:x} {p:x}")
        found = find_function("edmul").evaluate({"modulus": p, "a": a, "d": d, "k": k, "x": x, "y": y}, None)
        expected.append((0, (found["rx"], found["ry"])) if "rx" in found else None)
    return lines, expected


def multiples(curve, rng, count):
    """Scalars of as many bits as the prime has, times the base point of the curve."""
    lines, expected = [], []
    own = {"modulus": curve.p, "a": curve.a, "d": curve.b, "x": curve.gx, "y": curve.gy}
    for number in range(count):
        k = number if number < 5 else rng.randrange(1 << curve.p.bit_length())
        lines.append(f"edmul_base {-(-curve.p.bit_length() // 32)} {k:x}")
        found = find_function("edmul").evaluate({**own, "k": k}, None)
        expected.append((0, (found["rx"], found["ry"])))
    return lines, expected


def ladders(p, rng, count):
    """Curves modulo 1009 or the core's prime, scalars as they are and clamped; u = 0 gives 0, which is reported."""
    m, lines, expected = p.modulus or 1009, [], []
    limit, constants = 1 << m.bit_length(), min(m, 1 << p.i["a24"].width)
    for number in range(count):
        case = {"k": rng.randrange(limit), "u": number and rng.randrange(limit), "a24": rng.randrange(2, constants)}
        case["clamp"] = rng.choice((0, 2, 3))
        lines.append(f"xmul 1 {' '.join(f'{value:x}' for value in case.values())} {m:x}")
        found = find_function("xmul").evaluate(case | {"modulus": m}, None)
        expected.append((0, (found["z"],)) if "z" in found else None)
    return lines, expected


def signatures(name, rng, count):
    """Keys, signatures and verifications over 13 elements, one in four with a changed operand."""
    function = find_function(name)
    lines, expected = [], []
    for number in range(count):
        case = function.random(rng, resolve_modulus("13"), None)
        if not number % 4:
            changed = rng.choice([one for one in function.scalars if one not in ("op", "rs")])
            case |= {changed: rng.randrange(1 << 4)}
        operands = [case[one] for one in (*function.operands, *function.constants, "modulus")]
        lines.append(f"{name} 1 {' '.join(f'{value:x}' for value in operands)}")
        found = function.evaluate(case, None)
        if "error" in found:
            expected.append(None)
        elif case["op"] == 2:
            expected.append((0 if found["accepted"] else E_SIGNATURE, (0, 0)))
        else:
            expected.append((0, (found["first"], found["second"])))
    return lines, expected
