# SPDX-License-Identifier: Apache-2.0
"""Integer plans of hardware, without hardware: how products are cut, and where registers go."""
