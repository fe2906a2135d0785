# SPDX-License-Identifier: Apache-2.0
"""The second opinion on a theorem: a separate tool that accepts or refuses the log of a proof.

It imports nothing of the rest of Modwright, only Yosys to read the Verilog, and runs as
`python -m modwright.checker LOG CORE.v [OPERATIONS]`.
"""
