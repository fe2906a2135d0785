# SPDX-License-Identifier: Apache-2.0
"""The theorem of an exponentiation over a multiplier: its products by their claim, proved of the same text."""
