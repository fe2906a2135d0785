# SPDX-License-Identifier: Apache-2.0
from typing import Any

from amaranth.hdl import Elaboratable, Fragment

def convert(
    elaboratable: Elaboratable | Fragment,
    name: str = "top",
    platform: Any = None,
    *,
    ports: Any = None,
    emit_src: bool = True,
    **kwargs: Any,
) -> str: ...
