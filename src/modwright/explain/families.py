# SPDX-License-Identifier: Apache-2.0
"""Wording of each family: what it does in a few sentences, in which steps its numbers are made, the boxes of its units.

A number is one that the core states (`contract.quantities`); a step is one of its schedule. What is not matched here
is shown all the same, without a cycle.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Family:
    """Wording of the cores whose names match.

    Parameters
    ----------
    cores : str
        Regular expression of names.
    lead : str
        The operation in a few sentences.
    made : mapping of str to str
        Regular expressions: of a number, and of the steps in which its values are made.
    boxes : mapping of str to str
        Box of the block picture by resource, where their names differ.
    every : mapping of str to int
        Numbers with a value for each cycle, shown where it changes: regular expressions, and the first cycle.
    modulus : str
        Letter of the modulus in the lead and in the core's own formulas.
    """

    cores: str
    lead: str
    made: Mapping[str, str] = field(default_factory=dict[str, str])
    boxes: Mapping[str, str] = field(default_factory=dict[str, str])
    every: Mapping[str, int] = field(default_factory=dict[str, int])
    modulus: str = "p"

    def steps_of(self, number: str) -> re.Pattern[str] | None:
        """Pattern of the steps in which a number is made; None where none is stated."""
        return next((re.compile(steps) for name, steps in self.made.items() if re.fullmatch(name, number)), None)

    def first_of(self, number: str) -> int | None:
        """Cycle of the first value of a number that has one for each cycle; None for other numbers."""
        return next((cycle for name, cycle in self.every.items() if re.fullmatch(name, number)), None)


_CONVERT = {"limb adder": "convert", "result register": "o", "operand registers": "registers"}
_EXTENDED = {r"hats of Q": r"q̂", r"(cox|h) of Q": r"ŝ: h", r"A added to Q": r"ŝ", r"hats of S": r"ŝ"}
_ROWER = {
    "reduction": "fold", "correction": "cox", "rows": "bus", "shift": "bus", "accumulator": "multiplier",
    "save": "multiplier", "saved sums": "multiplier", "operands": "operand",
}  # fmt: skip
_COX = {r"(cox|h) of S": r"s: h"}
_BY_INVERSION = {r"[UVRS]/m|busy": r".*inv = 1 / .*"}
_ON_LIMBS = {"multiplier": "multiplier 0", "ladder": "program", "mask": "scalar", "result": "o"}

FAMILIES = (
    Family(
        r"modmul/sor-(1m-n|1m-p|2m|nm)",
        "x and y are residues modulo each m_i of the base. Every channel multiplies its residues (Z) and gives "
        "γ_i = Z_i·M_i^-1 mod m_i with M_i = M/m_i, so that x·y = Σ γ_i·M_i - α·M. The top bits of the γ_i add up to "
        "α. Each M_i is replaced by w_i = M_i mod p, and κ = Σ γ_i·K_i >> T, with K_i the top bits of w_i, says how "
        "many p are taken off: every channel adds γ_i·w_i, then the correction for α, then κ·(-p). The result is "
        "z = x·y modulo p, in residues, below the certified bound, which is above p.",
        {r"γ_\d+": r"γ", r"smallest .*": r"γ", r"cox|α": r"α\d+", r"bits of .*": r"K\d+"},
        {"term": "alpha"},
    ),
    Family(
        r"modmul/sor-lean",
        "Operands are stored times a root, so that one product in each channel is γ_i already. The sum of γ_i·w_i runs "
        "through all channels while the top bits of the γ_i add up to α, which picks the multiple of M that is taken "
        "off; z follows with the last product.",
        {r"top of γ_\d+": r"γ", r"cox|row of α": r"α\d+"},
    ),
    Family(
        r"modmul/rns-(kbe|hbe)",
        "Montgomery multiplication in two bases A and B; A and B also stand for the products of their moduli a_i and "
        "b_i. Q = -x·y/P modulo A makes x·y + Q·P a multiple of A. In base A, Q is found as hats "
        "q̂_i = Q·(A/a_i)^-1 mod a_i; a base extension carries it to base B as Q = Σ q̂_i·(A/a_i) - h·A, where h comes "
        "from the top bits of the hats, added up in the cox. In base B there is S = (x·y + Q·P)/A, as hats ŝ_i, and a "
        "second extension brings S to base A. So z stands for x·y over A modulo P.",
        _EXTENDED | _COX,
        _ROWER,
        modulus="P",
    ),
    Family(
        r"modmul/rns-(kbe|hbe)-runtime",
        "Montgomery multiplication in two bases A and B, as in modmul/rns-kbe, but what depends on P comes with the "
        "operands: f in base A, g in base B. A and B also stand for the products of their moduli. Q = -x·y/P modulo A "
        "is found as hats q̂_i, S = (x·y + Q·P)/A as hats ŝ_i; h, the multiple of A or B that their sum has too much, "
        "comes from the top bits of the hats, added up in the cox.",
        {r"hats of Q": r"q̂", r"(cox|h) of Q": r"q: h", r"hats of S|A added to Q": r"ŝ"} | _COX,
        _ROWER,
        modulus="P",
    ),
    Family(
        r"modinv/rns-flt",
        "Fermat's little theorem: a^(P-2) is the inverse of a. Squares and products follow each other on one RNS "
        "Montgomery multiplier, as in modmul/rns-kbe: Q = -x·y/P modulo A, S = (x·y + Q·P)/A. Hats, cox and h are "
        "shown for each product.",
        {r".* of [QS]|A added to Q": r"product \d+"},
        modulus="P",
    ),
    Family(
        r"modmul/rns-hpr",
        "P = M^2 - 2 with M the product of base A. Operands are two digits c_0 and c_1 in base M, each in residues. "
        "Products of digits are split by two base extensions into a remainder and a quotient; their tops give h in a "
        "cox.",
        {r".* of [rq]|t": r".*kept"},
        {**_ROWER, "write": "kept", "carry": "cox"},
        modulus="P",
    ),
    Family(
        r"basext/shenoy-kumaresan",
        "X is in residues of base A and modulo a power of two, and its residues of base B are needed. The hats "
        "x̂_i = x_i·(A/a_i)^-1 mod a_i give X = Σ x̂_i·(A/a_i) - h·A; the same equation modulo the power of two, "
        "where X is known, gives h.",
        {r"hats of X": r"x̂", r"h of X": r"X: h"},
        {**_ROWER, "redundant residue": "cox"},
        modulus="P",
    ),
    Family(
        r"basext/mixed-radix",
        "X is in residues of base A. Its lowest mixed radix digit is v_1 = x_1; (X - v_1)/a_1 in the other residues "
        "has the next one, and so on: X = v_1 + v_2·a_1 + v_3·a_1·a_2 + ... The digits are compared with those of p, "
        "and their sum is taken modulo base B.",
        {r"digits of X": r"v_\d+"},
        {**_ROWER, "subtractor": "bus", "stored digit": "bus", "digits": "bus", "comparators": "cox"},
    ),
    Family(
        r"comparison/mixed-radix",
        "x and y are in residues of base A, whose product is above 2p. Their difference modulo A is below p where "
        "x ≥ y, and above A - p where not. Its mixed radix digits are found one after the other: all are 0 where "
        "x = y, and the last one says on which side the difference is.",
        {r"digits of x - y": r"v_\d+", r"last digit, .*": r"v_\d+"},
        {**_ROWER, "subtractor": "bus", "operands": "operands", "comparators": "cox"},
    ),
    Family(
        r"basext/(kbe|hbe)",
        "X is in residues of base A, and its residues of base B are needed. The hats x̂_i = x_i·(A/a_i)^-1 mod a_i give "
        "X = Σ x̂_i·(A/a_i) - h·A; the cox finds h from the top bits of the hats.",
        {r"hats of X": r"x̂", r"(cox|h) of X": r"X: h"},
        _ROWER,
        modulus="P",
    ),
    Family(
        r"modmul/(radix2|csa|csa-high-radix|vlm3|booth4-csa|booth8-csa)",
        "Digits d of x are scanned from the lowest. Each adds d·y to S, then q·M so that the lowest bits become 0, and "
        "S is divided by that power of two: after all digits S = x·y/R modulo M with R = 2^T. In carry-save cores S "
        "is two words, so that no carry ripples; the last step adds them.",
        {r"[dq]|\d+·[SV]/M": r"S", r"\d+·z/M": r"below M|to binary"},
        _CONVERT,
        modulus="M",
    ),
    Family(
        r"modmul/(limb-scan|limb-fold|limb-fold-karatsuba)",
        "Operands are in limbs. Products of limbs are added column by column; the lowest limb t of the sum picks the "
        "multiple of m (or of 2^-w mod m) that makes it vanish. Every cycle has one product of limbs.",
        {r"t": r"t_\d+·.*|\(t_.*", r"bits of a column": r"[xt]_.*", r"z/m": r"result|modulus and error"},
        {"comparators": "check", "operand registers": "operands", "result": "limbs"},
        modulus="m",
    ),
    Family(
        r"modmul/limb-columns",
        "Operands are in limbs, and limbs in digits. Products of limbs are added column by column, without carries "
        "between digits; the word t that a column leaves is multiplied by 2^-w mod m, the last one by -m^-1 mod 2^w, "
        "whose product with m makes it vanish. While one product waits for such a word, others have their turn.",
        {r"bits of a digit|carry": r"[xt]_.*|q|z_.*", r"t": r"t_\d+|q", r"z/m": r"result"},
        {"comparators": "check", "operand registers": "store", "multiply-accumulate": "products"},
        modulus="m",
    ),
    Family(
        r"modmul/r64",
        "Operand scanning: for each limb x_i the row x_i·y is added to z, q_i = (z_0 + x_i·y_0)·(-m^-1) mod 2^w is "
        "found, and q_i·m makes the lowest limb 0, which is dropped. One multiply-accumulate a cycle.",
        {r"bits of .*": r"[xq]_.*", r"z/m": r"result"},
        {"comparators": "check", "operand registers": "operands", "result": "limbs"},
        every={r"bits of .*": 2},
        modulus="m",
    ),
    Family(
        r"modmul/(orup-dsp|orup-interleaved)",
        "Digits of x times y, and quotient digits times m̃, run through a row of multiplier blocks. The quotient digit "
        "of a step was determined `delay` steps before, since m̃, M times -M^-1 mod 2^K, is 1 below 2^K·m, with "
        "m = 2^-K mod M: S is shifted by a digit every step.",
        {r"q|carry|S/.*|bits of S|chunk .*": r"S( \d+)?", r"z/.*|limbs passed": r"to binary"},
        {
            "limb adder": "convert",
            "converter": "convert",
            "row of blocks": "loop",
            "result register": "loop",
            "operand registers": "i",
            "register of X": "digits",
            "memory of X": "slots",
            "memories of Y and m": "slots",
        },
        modulus="M",
    ),
    Family(
        r"modmul/binary",
        "The product x·y of n bits each is formed of products of digits, which are added in segments. Its high part is "
        "folded: multiplied by 2^k mod p and added to the low part, until the number is about as long as p; or, by "
        "Barrett's method, a multiple of p is subtracted that the top bits of x·y give. Carries "
        "between segments stay until then. Last, a multiple of p is subtracted.",
        {
            r"bits of x·y": r"product level.*|xy (blocks|level).*",
            r"bits of fold 1": r".*fold0.*",
            r"bits of fold 2": r".*fold1.*",
            r"bits of the last fold": r".*reduced level.*",
            r"subtractions": r"choice",
        },
    ),
    Family(
        r"modmul/binary-serial",
        "One limb multiplier forms x·y product by product, then reduces it, modulo p times the power of two that fills "
        "its limbs: by folds, the high part times 2^k mod p, added to the low part; or by Barrett's method, where the "
        "estimate is x·y over p from its top bits, and the rest is what x·y has above that many p. At the end a "
        "multiple of p is subtracted.",
        {
            r"bits of x·y": r"product",
            r"bits of fold 1": r"fold 1",
            r"bits of fold 2": r"fold 2",
            r"subtractions": r"choice",
        },
    ),
    Family(
        r"modmul/blakley",
        "Bits of x from the top: s becomes 2s + x_i·y, and as many p are subtracted as leave it below p.",
        {r"2s \+ x_i·y": r"s = 2s.*"},
    ),
    Family(
        r"modadd/.*",
        "x + y and x + y - p; the carry of the second says which of the two is below p.",
        {r"x \+ y": r"x \+ y"},
    ),
    Family(
        r"modinv/binary-divstep.*",
        "f = M and g = a; a divstep halves g, or (g ± f)/2, and exchanges f and g where D ≥ 0 and g is odd. "
        "The same steps on d and e keep f = d·a and g = e·a modulo M up to powers of two. When g is 0, f is ±1 and "
        "d the inverse up to its sign. The number of divsteps is fixed.",
        {r"D|[fg]/M|e ± .*|e/M": r"divsteps", r"last e/M": r"sign and range"},
        {"border": "operands", "pair": "fg", "cofactors": "de"},
        modulus="M",
    ),
    Family(
        r"modinv/rns-(bmi|btmi|btmi-fused)",
        "Euclid's algorithm by division by 2 (and 3) in residues. Two pairs, (V3, V1) from (a, 1) and (U3, U1) from "
        "(P, 0), keep V3 = a·V1 and U3 = a·U1 modulo P. A pass divides V3 by D, the powers of 2 (and 3) in it; where "
        "there are none, it first adds or subtracts U3. V1 takes the same steps, with f·P added that makes it "
        "divisible. When V3 is 1 or -1, V1 is the inverse up to this sign. Only small residues decide, and the number "
        "of passes depends on the operand.",
        {r"V[13]/P|D|f": r"passes", r"passes": r"sign and result"},
        modulus="P",
    ),
    Family(
        r"rns/processor",
        "One cox-rower computes products and inverses. A product is a Montgomery reduction between the two bases; an "
        "inversion is a sequence of passes of the plus-minus algorithm, whose number depends on the operand, or of "
        "rounds of divsteps, as many for every operand. Q = -x·y/P modulo A and S = (x·y + Q·P)/A, as in "
        "modmul/rns-kbe; V1 of the passes starts from A² modulo P, so that the inverse comes out times A.",
        {r"passes|V[13]/P|D|[fd]/P": r"rest", r"(hats|cox|h) of [QS]|A added to Q": r"first cycles"},
        {"engine": "sequencer"},
        modulus="P",
    ),
    Family(
        r"rns/random-bases",
        "Montgomery multiplication in two bases A and B, as on any cox-rower; but a rower has two moduli, and the draw "
        "that comes with the operands says which of them is in A. Operands are in the bases of the draw. Hats, cox and "
        "h are shown for draw 0.",
        {r"(hats|cox|h) of Q|A added to Q": r"q̂.*|ŝ: h", r"(hats|cox|h) of S": r"ŝ|s: h"},
        _ROWER,
        modulus="P",
    ),
    Family(
        r"modinv/rns-divstep",
        "Rounds of divsteps on the low bits of f and g give a matrix u, v, q, r of small integers, which the rowers "
        "apply to f, g, d and e in residues, with a division by 2^steps. The number of rounds is fixed.",
        {r"[fgD](/P)?|c|\|u\| .*|d, e in P": r"round \d+"},
        modulus="P",
    ),
    Family(
        r"ecpm/row-ladder",
        "The Montgomery ladder: for each bit of the scalar the points R0 and R1 = R0 + P become (2R0, R0 + R1) or "
        "(R0 + R1, 2R1). Products take a row of blocks in turn; sums are never reduced, but lifted by a multiple of "
        "the modulus, so that none is negative. The inverse comes from divsteps on the lowest bits of f and g, whose "
        "matrix the row applies, and one digit modulo M gives the least remainders.",
        {r"word/U": r"step"},
        {"result": "o", "write port": "words"},
        modulus="m",
    ),
    Family(
        r"ecpm/word-ladder",
        "The Montgomery ladder, a limb at a time: for each bit of the scalar the points R0 and R1 = R0 + P become "
        "(2R0, R0 + R1) or (R0 + R1, 2R1). Columns of several products take one multiply-accumulate in turn; sums are "
        "never reduced, and a difference has 4m in it, so that none is negative. The inverse comes from divsteps on "
        "the lowest bits of f and g, whose matrix the columns apply, and one subtraction gives the least remainders.",
        {r"value/m": r"step"},
        {"result": "o", "write port": "words", "multiply-accumulate": "columns"},
        modulus="m",
    ),
    Family(
        r"ecpm/rns-ladder",
        "The Montgomery ladder in residues: for each bit of the scalar the points R0 and R1 = R0 + P become (2R0, "
        "R0 + R1) or (R0 + R1, 2R1). Every modulus of two bases has a rower; a sum of products is reduced once, by an "
        "extension from one base to the other and back. At the end the inverse is a power, and a converter gives both "
        "coordinates in binary.",
        {r"S/P|h of [AB]": r"step"},
        {"operand registers": "i", "result": "o"},
        modulus="P",
    ),
    Family(
        r"ecpm/.*",
        "The Montgomery ladder: for each bit of the scalar the points R0 and R1 = R0 + P become (2R0, R0 + R1) or "
        "(R0 + R1, 2R1). Points are in projective coordinates, x and z; every product is one of the limb multiplier. "
        "At the end one inversion gives x, and y is recovered.",
        {r"[UVRS]/m|busy": r".*inv = 1 / den"},
        {"multiplier": "multiplier 0", "ladder": "program", "result": "o"},
        modulus="m",
    ),
    Family(
        r"ecdsa/.*",
        "One program for keys, signatures and their verification: modulo the order the inverse of k or s, and the "
        "scalars u1 and u2; then for each of their bits a doubling and the addition of infinity, G, Q or G + Q; at the "
        "end the affine point, and modulo the order r and s.",
        {r"[UVRS]/m|busy": r".*inv = 1 / Z"},
        {"multiplier": "multiplier 0", "steps": "program", "result": "o"},
        modulus="m",
    ),
    Family(
        r"eddsa/.*",
        "One program for k·B + h·P, signatures and their verification: modulo the order S = k + h·key; then for each "
        "bit of two scalars a doubling and the addition of (0, 1), B, ±P or B ± P; at the end the affine point, which "
        "is R of the signature.",
        {r"[UVRS]/m|busy": r".*inv = 1 / Z"},
        {"multiplier": "multiplier 0", "steps": "program", "result": "o"},
        modulus="m",
    ),
    Family(
        r"xmul/pseudo-mersenne-ladder",
        "A ladder on one coordinate modulo 2^n - c: for each bit of the scalar nine products of sums, and one by a24. "
        "Each digit of one factor meets all digits of the other one, which moves up and comes back below as a small "
        "multiple. Carries wait: at the end there is the inverse as a power, and the residue below p digit by digit.",
        {r"digit of .*": r"steps|z = .*", r"part above .*": r"z mod p"},
        {"operand registers": "i", "result": "o"},
    ),
    Family(
        r"xmul/montgomery-ladder",
        "A ladder on one coordinate: for each bit of the scalar the same products on the limb multiplier, with the two "
        "points exchanged where two bits differ. At the end one inversion makes the coordinate affine.",
        _BY_INVERSION,
        _ON_LIMBS,
        modulus="m",
    ),
    Family(
        r"edmul/double-add",
        "For each bit of the scalar (X : Y : Z) is doubled, and P is added, or the neutral point where the bit is 0, "
        "by the same products on the limb multiplier; of either point a step reads x, y, x + y and d·x·y. At the end "
        "one inversion makes the point affine.",
        _BY_INVERSION,
        _ON_LIMBS,
        modulus="m",
    ),
    Family(
        r"edmul/comb",
        "The scalar's bits are rows below each other, the teeth of a comb. For each column (X : Y : Z) is doubled, "
        "and the sum of the base point's multiples that the column's bits choose is added; it comes from a table, "
        "which is read as a whole for every column. At the end one inversion makes the point affine.",
        _BY_INVERSION,
        _ON_LIMBS,
        modulus="m",
    ),
    Family(
        r"unit/.*",
        "One unit of a channel alone: a product or a sum of residues, and its reduction modulo the channel's m; or a "
        "residue modulo 3 or 9.",
        {r"before the reduction": r"<.*>"},
        modulus="m",
    ),
    Family(
        r"modexp/.*",
        "A program runs products on the multiplier: the base goes into the multiplier's domain, then for each digit "
        "of the exponent there are squares and a product with a power from a table (or with the base), and one product "
        "with 1 leads out of the domain.",
        {r"digit": r"exponentiation", r"bits of the exponent": r"operands"},
        {"program": "control"},
        modulus="M",
    ),
)
"""In the order in which they are tried."""

_OTHERS = Family(r".*", "The steps of the schedule, the numbers that the core states, and its registers.")


def family_of(core: str) -> Family:
    """The wording of a core; a general one for a family that has none."""
    return next((family for family in FAMILIES if re.fullmatch(family.cores, core)), _OTHERS)
