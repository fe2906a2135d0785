# SPDX-License-Identifier: Apache-2.0
"""Hardware that programs over a row multiplier share: words and arithmetic."""
