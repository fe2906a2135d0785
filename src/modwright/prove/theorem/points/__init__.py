# SPDX-License-Identifier: Apache-2.0
"""The theorem of a point multiplication: a ladder over an operation unit with its contract."""
