# SPDX-License-Identifier: Apache-2.0
"""A sweep over architectures and their parameters for one task: which of them may lie on the front, and which do.

`space` lists the points, `estimate` gives each its analytic cost, `front` says which may lie on the front, `study`
runs the rest in this order and keeps every result in one SQLite file (`database`), on processes of this machine or on
a Dask cluster (`executors`).
"""

from .database import Database
from .space import Point, points, read_sweep
from .study import Constraints, Study, explore

__all__ = ["Constraints", "Database", "Point", "Study", "explore", "points", "read_sweep"]
