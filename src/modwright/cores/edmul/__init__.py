# SPDX-License-Identifier: Apache-2.0
"""Point multiplication on twisted Edwards curves, one family a folder."""
