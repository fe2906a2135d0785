# SPDX-License-Identifier: Apache-2.0
"""The row of blocks with its slots: operands, loop, conversion to binary."""
