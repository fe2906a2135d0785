# SPDX-License-Identifier: Apache-2.0
class Statement:
    """An assignment; it does nothing until it is added to a domain of a module. `amaranth.hdl` does not export it."""
