# SPDX-License-Identifier: Apache-2.0
"""Bad input of every class, as tables: what is given, the exit code that is due, and what may be left behind."""
