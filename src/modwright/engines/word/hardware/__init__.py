# SPDX-License-Identifier: Apache-2.0
"""Hardware of programs on limbs: words, columns, sums."""
