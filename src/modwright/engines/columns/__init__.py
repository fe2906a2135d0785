# SPDX-License-Identifier: Apache-2.0
"""Multiply-accumulate of limbs in redundant digits, and the products that it takes, a column after the other."""
