# SPDX-License-Identifier: Apache-2.0
"""Functions that cores compute: operands, results, plain evaluation and cases."""
