# SPDX-License-Identifier: Apache-2.0
"""Orders in which the operations of a step are placed, by the number of multipliers."""

ORDERS = {
    1: (("A", "B", "C", "D", "DA", "CB", "AA", "BB", "S", "T", "E", "F", "TT", "X3'", "X2'", "G", "Z3'", "Z2'"),),
    2: (("A", "B", "C", "D", "DA", "CB", "AA", "BB", "S", "T", "E", "F", "TT", "X3'", "X2'", "G", "Z3'", "Z2'"),),
}
