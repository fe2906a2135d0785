# SPDX-License-Identifier: Apache-2.0
"""Errors, files, the store, signals and tools: everything that is independent of hardware."""
