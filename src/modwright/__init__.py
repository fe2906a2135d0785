# SPDX-License-Identifier: Apache-2.0
"""Modwright: verified, measured hardware for modular arithmetic."""

__version__ = "0.1.0"
