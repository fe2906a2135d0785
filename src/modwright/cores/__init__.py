# SPDX-License-Identifier: Apache-2.0
"""Architectures, one folder a family, found by the registry through their `CORES`."""
