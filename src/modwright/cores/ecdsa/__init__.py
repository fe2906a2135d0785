# SPDX-License-Identifier: Apache-2.0
"""Cores of ECDSA."""
