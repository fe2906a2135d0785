# SPDX-License-Identifier: Apache-2.0
"""The program over columns and an adder of limbs."""
