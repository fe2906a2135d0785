# SPDX-License-Identifier: Apache-2.0
"""Montgomery multiplication a digit a cycle, after Orup: parameters, cycles and hardware that cores share."""
