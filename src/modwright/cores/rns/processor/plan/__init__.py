# SPDX-License-Identifier: Apache-2.0
"""Numbers that operations read and write: registers and pairs of operands, and numbers in other representations."""
