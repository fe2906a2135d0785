# SPDX-License-Identifier: Apache-2.0
"""The whole operation of a core, proved about the netlist that Yosys reads from its Verilog.

Nothing here reads a model, a schedule or parameters: the claim comes from the roles of the payload's fields, the stated
latency and the modulus; everything else from the Verilog. What the steps are, and what is trusted: docs/proof.md.
"""

from __future__ import annotations

import json

from ...base.store import digest_of, source_digest, version_of
from ...prepared import Prepared
from .contract import Claim, claim_of
from .log import log_of
from .netlist import UnsupportedError
from .theorem import NOT_PROVED, PROVED, REFUTED, Answer, Theorem, prove_netlist

__all__ = ["NOT_PROVED", "PROVED", "REFUTED", "Answer", "Claim", "Theorem", "known", "logged", "prove_verilog"]


def prove_verilog(prepared: Prepared, verilog: str) -> Theorem:
    """Prove the theorem of a core about a Verilog text with the core's ports.

    Parameters
    ----------
    prepared : Prepared
        Whose claim it is, and the name of the module.
    verilog : str
        Ports `i_valid`, `i_ready`, `i_FIELD`, `o_valid`, `o_ready`, `o_FIELD`, `clk` and `rst`.
    """
    p, modulus = prepared.parameters, prepared.request.modulus
    try:
        if not prepared.schedule.constant_time:
            raise UnsupportedError("the latency depends on operand values")
        claim = claim_of(prepared.core.function, p.i, p.o, None if modulus is None else modulus.value)
    except UnsupportedError as error:
        return Theorem(NOT_PROVED, "one theorem about every operand", str(error))
    return prove_netlist(verilog, prepared.top, claim, prepared.schedule.latency)


def logged(prepared: Prepared, verilog: str) -> tuple[Answer, str]:
    """The theorem as `Theorem.to_json` has it, and its log as text; empty where it is not proved."""
    found = prove_verilog(prepared, verilog)
    text = json.dumps(log_of(found, verilog, prepared.top)) + "\n" if found.status == PROVED else ""
    return found.to_json(), text


def known(prepared: Prepared, verilog: str) -> Answer:
    """The theorem as `Theorem.to_json` has it, from the store where it was found before."""
    versions = [version_of(tool) for tool in ("pyosys",)]
    key = digest_of("theorem", prepared.digest, verilog, source_digest(), versions)
    return prepared.store.json("theorem", key, lambda: prove_verilog(prepared, verilog).to_json())
