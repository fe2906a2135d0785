# SPDX-License-Identifier: Apache-2.0
"""The syntax trees of the package, which a dozen rules look at: each file is parsed once for all of them."""

import ast
from functools import cache


@cache
def parsed(source: str) -> ast.Module:
    """The tree of a module, which nobody changes."""
    return ast.parse(source)


@cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    """Every node of a module, outer ones first."""
    return tuple(ast.walk(parsed(source)))
