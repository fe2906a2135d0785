# SPDX-License-Identifier: Apache-2.0
"""The whole operation of a core, proved about the netlist that Yosys reads from its Verilog.

Nothing here reads a model, a schedule or parameters: the claim comes from the roles of the payload's fields, the stated
latency and the modulus; everything else from the Verilog. Of point multiplications, the contract of the operation unit
is assumed, and comes from its parameters; of inversions by divsteps, a published bound of their number. docs/proof.md
has the steps, and the parts that are trusted.
"""

from __future__ import annotations

import json

from ...base.errors import UsageError
from ...base.store import digest_of, source_digest, version_of
from ...combine.exponentiation.parameters import ModexpParameters
from ...cores.ecpm.ladder.parameters import EcpmParameters
from ...cores.modinv.binary_divstep.parameters import BinaryInversionParameters
from ...prepared import Prepared
from ..proof import Proof
from .contract import Claim, claim_of
from .inversions.claim import InversionClaim, claim_of_inversion
from .inversions.prove import prove_inversion
from .log import log_of
from .netlist import UnsupportedError
from .points.claim import PointClaim, claim_of_points
from .points.prove import prove_points
from .powers.claim import PowerClaim, power_claim_of, product_of
from .powers.prove import prove_exponentiation
from .refute import AnyClaim
from .residues.claim import ResidueClaim, is_of_residues, residue_claim_of
from .residues.polynomial_claim import PolynomialClaim, is_of_coefficients, polynomial_claim_of
from .theorem import NOT_PROVED, PROVED, REFUTED, Answer, Theorem, prove_netlist

__all__ = [
    "NOT_PROVED",
    "PROVED",
    "REFUTED",
    "Answer",
    "AnyClaim",
    "Claim",
    "InversionClaim",
    "PointClaim",
    "PolynomialClaim",
    "PowerClaim",
    "ResidueClaim",
    "Theorem",
    "logged",
    "proof_of",
    "prove_verilog",
    "require_log",
    "stated",
]

METHOD = "words and polynomials, streams by all states of control or ABC"
WITHOUT_LOG = (PowerClaim, PointClaim, InversionClaim)
"""Claims of which the checker has no rule."""


def prove_verilog(prepared: Prepared, verilog: str, *, search: bool = True) -> Theorem:
    """Prove the theorem of a core about a Verilog text with the core's ports.

    Parameters
    ----------
    prepared : Prepared
        Core with the claim and the name of the module.
    verilog : str
        Verilog with ports `i_valid`, `i_ready`, `i_FIELD`, `o_valid`, `o_ready`, `o_FIELD`, `clk` and `rst`.
    search : bool
        Whether to search for operands that fail in simulation where it is not proved.
    """
    try:
        claim = stated(prepared)
    except UnsupportedError as error:
        return Theorem(NOT_PROVED, "one theorem about every operand", str(error))
    if isinstance(claim, PowerClaim):
        return prove_exponentiation(verilog, prepared.top, claim, prepared.schedule.latency, search=search)
    if isinstance(claim, PointClaim):
        return prove_points(verilog, prepared.top, claim, prepared.schedule.latency, search=search)
    if isinstance(claim, InversionClaim):
        return prove_inversion(verilog, prepared.top, claim, prepared.schedule.latency, search=search)
    return prove_netlist(verilog, prepared.top, claim, prepared.schedule.latency, search=search)


def stated(prepared: Prepared) -> AnyClaim | PowerClaim | PointClaim | InversionClaim:
    """The claim of a core.

    Raises
    ------
    UnsupportedError
        When the theorem is not stated for its operands, results or latency.
    """
    p, modulus = prepared.parameters, prepared.request.modulus
    if not prepared.schedule.constant_time:
        raise UnsupportedError("the latency depends on operand values")
    number = None if modulus is None else modulus.value
    if isinstance(p, ModexpParameters):
        return power_claim_of(p.i, p.o, product_of(p), number)
    if isinstance(p, EcpmParameters):
        return claim_of_points(p, prepared.schedule.parts)
    if isinstance(p, BinaryInversionParameters):
        return claim_of_inversion(p.i, p.o, number)
    of = polynomial_claim_of if is_of_coefficients(p.o) else residue_claim_of if is_of_residues(p.o) else claim_of
    return of(prepared.core.function, p.i, p.o, number)


def require_log(prepared: Prepared, otherwise: str) -> None:
    """Check that the theorem of a core has a log where it is proved; one that is not stated passes.

    Parameters
    ----------
    prepared : Prepared
    otherwise : str
        Advice in the error.

    Raises
    ------
    UsageError
        Where the checker has no rule for it.
    """
    try:
        claim = stated(prepared)
    except UnsupportedError:
        return
    if isinstance(claim, WITHOUT_LOG):
        raise UsageError(
            f"the theorem of {prepared.core.name} has no log, as the checker has no rule for it", otherwise
        )


def logged(prepared: Prepared, verilog: str, *, search: bool = True) -> tuple[Answer, str]:
    """The document of `Theorem.to_json`, and the log as text, empty where it is not proved, or has none."""
    versions = [version_of(tool) for tool in ("pyosys",)]
    key = digest_of("theorem", prepared.digest, verilog, source_digest(), versions, search)

    def make() -> dict[str, Answer | str]:
        found = prove_verilog(prepared, verilog, search=search)
        has_log = found.status == PROVED and found.claim is not None
        text = json.dumps(log_of(found, verilog, prepared.top)) + "\n" if has_log else ""
        return {"theorem": found.to_json(), "log": text}

    stored = prepared.store.json("theorem", key, make)
    return stored["theorem"], stored["log"]


def proof_of(prepared: Prepared, verilog: str) -> Proof:
    """The theorem as a row next to the lemmas; the search for operands that fail is left to the simulation."""
    found, _ = logged(prepared, verilog, search=False)
    return Proof("theorem", found["statement"], found["status"], METHOD, found["detail"], found["seconds"])
