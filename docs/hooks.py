# SPDX-License-Identifier: Apache-2.0
"""Hooks of MkDocs: a page for each family of cores from its README, and the reference from docstrings."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "modwright"
FAMILIES = ("cores", "combine")
FIGURES = ROOT / "bench" / "figures"
"""Pictures that pages show and that lie outside of the folder of documents."""
_LINK = re.compile(r"\[([^\]]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def families() -> dict[str, Path]:
    """README of each family by the address of its page."""
    return {
        f"families/{path.parent.name}.md": path
        for folder in FAMILIES
        for path in sorted((PACKAGE / folder).rglob("README.md"))
    }


def modules() -> dict[str, Path]:
    """Public modules by the address of their page: without cores, which have pages of their own."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] in (*FAMILIES, "__init__", "__main__") or any(p.startswith("_") and p != "__init__" for p in parts):
            continue
        if parts[-1] != "__init__" and "fusesoc" not in parts:
            found["reference/" + ".".join(parts) + ".md"] = path
    return found


def on_config(config: Any) -> Any:
    """Add what is generated to the navigation."""
    config["nav"].append({"Families": _entries(families())})
    packages = groupby(modules(), key=lambda address: posixpath.basename(address).split(".")[0])
    config["nav"].append({"Reference": [{package: _entries(addresses)} for package, addresses in packages]})
    return config


def _entries(addresses: Iterable[str]) -> list[dict[str, str]]:
    """Entries of the menu for pages, each named by its address."""
    return [{posixpath.basename(address)[:-3]: address} for address in addresses]


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages."""
    from mkdocs.structure.files import File

    for address, path in families().items():
        text = relinked(path.read_text(encoding="utf-8"), path.parent, address)
        files.append(File.generated(config, address, content=text))
        for picture in path.parent.glob("*.svg"):
            files.append(File.generated(config, f"families/{picture.name}", abs_src_path=str(picture)))
    for picture in sorted(FIGURES.glob("*.svg")):
        files.append(File.generated(config, f"figures/{picture.name}", abs_src_path=str(picture)))
    for address, path in modules().items():
        files.append(File.generated(config, address, content=reference(path, posixpath.basename(address)[:-3])))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Links out of the folder of documents lead to generated pages, or become plain text."""
    if page.file.src_uri.startswith(("families/", "reference/")):
        return markdown
    return relinked(markdown, ROOT / "docs", page.file.src_uri)


def relinked(text: str, folder: Path, address: str) -> str:
    """The links of a page of `folder`, as the page at `address` has to write them."""
    pages = {path: target for target, path in families().items()}

    def link(match: re.Match[str]) -> str:
        label, target, anchor = match.group(1), match.group(2), match.group(3) or ""
        path = (folder / target).resolve()
        if path in pages:
            found = pages[path]
        elif path.parent == FIGURES:
            found = f"figures/{path.name}"
        elif path.is_relative_to(ROOT / "docs") and path.suffix != ".py":
            found = path.relative_to(ROOT / "docs").as_posix()
        else:
            return label
        return f"[{label}]({posixpath.relpath(found, posixpath.dirname(address) or '.')}{anchor})"

    return _LINK.sub(link, text)


def reference(path: Path, name: str) -> str:
    """A page with the docstrings of a module: its own, and those of public classes, methods and functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return "\n\n".join([f"# modwright.{name}", _block(tree), *_members(tree, 2)]) + "\n"


def _members(node: ast.Module | ast.ClassDef, level: int) -> Iterator[str]:
    for child in node.body:
        if not isinstance(child, ast.ClassDef | ast.FunctionDef) or child.name.startswith("_"):
            continue
        if not ast.get_docstring(child):
            continue
        shown = child.name
        if isinstance(child, ast.FunctionDef):
            shown += f"({ast.unparse(child.args)})"
        yield f"{'#' * level} `{shown}`"
        yield _block(child)
        if isinstance(child, ast.ClassDef):
            yield from _members(child, level + 1)


def _block(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> str:
    """A docstring as it is, since numpydoc is meant to be read as plain text."""
    return "```text\n" + (ast.get_docstring(node) or "").replace("```", "'''") + "\n```"
