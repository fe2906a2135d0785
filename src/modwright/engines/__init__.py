# SPDX-License-Identifier: Apache-2.0
"""Units that several cores are made of."""
