# SPDX-License-Identifier: Apache-2.0
"""Types of the part of Amaranth 0.5 that Modwright uses.

Amaranth carries no types that a checker can follow: statements are written through `__iadd__` and `__setattr__` of
objects that are made at run time, the context managers of a `Module` look like plain generators, `Cat` may give a
value of an I/O port, and a component gets its members in its constructor. These stubs say what each name takes and
gives. Where a type depends on a run-time value, the member of a signature above all, they say `Any`.

Only what `src` and `tests` use is here: anything else of Amaranth is an error of the checker until it is added.
"""
