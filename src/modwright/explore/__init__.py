# SPDX-License-Identifier: Apache-2.0
"""A sweep over architectures and their parameters for one task: candidates for the front, and the measured front.

`space` lists the points, `estimate` gives each its analytic cost, `front` selects those that may lie on the front,
`study` runs these steps in order and stores every result in one SQLite file (`database`), on processes of this machine
or on a Dask cluster (`executors`).
"""

from .database import Database
from .space import Point, points, read_sweep
from .study import Constraints, Study, explore

__all__ = ["Constraints", "Database", "Point", "Study", "explore", "points", "read_sweep"]
