# SPDX-License-Identifier: Apache-2.0
"""Work and tasks for the tests of explorations."""


def tasks(number, **more):
    return [(f"key-{n}", "estimate", {"n": n, **more}, "ecp5", {}) for n in range(number)]
