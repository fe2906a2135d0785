# SPDX-License-Identifier: Apache-2.0
"""Packages: files that each describe themselves, in a folder that appears whole or not at all."""

from pathlib import Path

from .delivery import Delivery
from .folder import (
    MANIFEST,
    check_folder,
    filled_folder,
    foreign_files,
    is_unchanged,
    json_text,
    sha256,
    write_folder,
)
from .header import command_of, header
from .package import core_files, package_files

FUSESOC = Path(__file__).parent / "fusesoc"
"""A library of FuseSoC with the generator."""

__all__ = [
    "FUSESOC",
    "MANIFEST",
    "Delivery",
    "check_folder",
    "command_of",
    "core_files",
    "filled_folder",
    "foreign_files",
    "header",
    "is_unchanged",
    "json_text",
    "package_files",
    "sha256",
    "write_folder",
]
