# SPDX-License-Identifier: Apache-2.0
"""Programs of field operations a limb at a time, on one multiply-accumulate of columns and one adder."""
