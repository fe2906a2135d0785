# SPDX-License-Identifier: Apache-2.0
"""Orders in which the operations of a step are placed, by the number of multipliers.

Found by exchanging operations at random as long as the period with `unit=fold-karatsuba` and four limbs became no
longer: 246 cycles of at least 240 with one multiplier, 131 of at least 120 with two.
"""

ORDERS = {
    1: ["A", "AA", "B", "D", "DA", "BB", "C", "CB", "T", "E", "X2'", "F", "S", "TT", "X3'", "G", "Z2'", "Z3'"],
    2: ["A", "AA", "B", "BB", "C", "D", "CB", "DA", "E", "X2'", "S", "F", "X3'", "T", "G", "TT", "Z2'", "Z3'"],
}
