# SPDX-License-Identifier: Apache-2.0
"""Two exponentiations in turn on one row of blocks."""
