# SPDX-License-Identifier: Apache-2.0
"""A point multiplier on limbs."""
