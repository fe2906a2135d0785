# SPDX-License-Identifier: Apache-2.0
"""Parameters of a request over one multiplier, and what cannot be."""

from __future__ import annotations

from ....base.errors import ParameterError
from ....contract import AnyCore
from ....contract.request import Request
from ..parameters import HARDWARE, LEFT, SHORTEST_DIGIT, WINDOW, ModexpParameters
from .multiplier import Multiplier


def derive(request: Request, core: AnyCore, method: str, own: tuple[str, ...]) -> ModexpParameters:
    """Parameters over one multiplier.

    Parameters
    ----------
    request : Request
        Request whose options are the multiplier's and those named in `own`.
    core : Core
        The multiplier.
    method : str
    own : tuple of str

    Raises
    ------
    ParameterError
        When the multiplier's results cannot be operands, or it interleaves more products than the method has.
    """
    options = {name: value for name, value in request.options.items() if name not in own}
    inner = Request(core.name, request.modulus, None, request.target, options)
    multiplier = Multiplier.derive(core, inner)
    if method == LEFT and multiplier.schedule.burst > 1:
        raise ParameterError(
            f"{request.core}: one product waits for the other",
            rule="products at a time = interleave",
            left=1,
            right=multiplier.schedule.burst,
            hint=f"{'slots' if 'slots' in inner.options else 'interleave'}=1, or another method",
        )
    if method == WINDOW and multiplier.schedule.burst > 1 and not multiplier.schedule.constant_time:
        raise ParameterError(
            f"{request.core}: two exponentiations in lock-step need products of equal cycles",
            rule="least cycles of a product = most cycles",
            left=multiplier.least,
            right=multiplier.latency,
            hint="interleave=1, or a multiplier of constant latency",
        )
    if method != WINDOW and multiplier.schedule.burst_distance > 1:
        raise ParameterError(
            f"{request.core}: the products of one exponentiation wait for each other",
            rule="slots = 1",
            left=multiplier.schedule.burst,
            right=1,
            hint="slots=1, or modexp/window",
        )
    turns = (request.options.get("slots") or 1) if method == WINDOW and multiplier.domain else 1
    if turns > 2:
        raise ParameterError(
            f"{request.core}: two exponentiations are in turn",
            rule="slots <= 2",
            left=turns,
            right=2,
            hint="slots=2, or another method",
        )
    bits = request.options["exponent_bits"] or multiplier.modulus_bits
    return ModexpParameters(
        method,
        multiplier,
        bits,
        max(SHORTEST_DIGIT, min(request.options["window"], bits)) if method == WINDOW else 1,
        request.options.get("constants", HARDWARE),
        turns,
        request.target,
    )
