# SPDX-License-Identifier: Apache-2.0
"""Cores of EdDSA, one family a folder."""
