# SPDX-License-Identifier: Apache-2.0
"""Orders in which the operations of a step are placed, by the number of multipliers."""

from .formulas import step

ORDERS: dict[int, tuple[str, ...]] = dict.fromkeys((1, 2), tuple(operation.name for operation in step().operations))
