# SPDX-License-Identifier: Apache-2.0
"""The theorem of an inversion by divsteps: the way in, one step of any state, and what leaves after a published number
of them."""
