# SPDX-License-Identifier: Apache-2.0
from typing import Any, final

from amaranth.hdl import ShapeLike
from amaranth.lib import wiring

@final
class Signature(wiring.Signature):
    """Members `payload`, `valid` and `ready`; an interface of it calls its payload `p`, too."""

    def __init__(
        self,
        payload_shape: ShapeLike,
        *,
        payload_init: Any = None,
        always_valid: bool = False,
        always_ready: bool = False,
    ) -> None: ...
