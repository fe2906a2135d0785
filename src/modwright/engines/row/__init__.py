# SPDX-License-Identifier: Apache-2.0
"""Programs of field operations over an interleaved row multiplier: sums that are never compared, within bounds."""
