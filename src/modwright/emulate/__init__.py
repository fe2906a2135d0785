# SPDX-License-Identifier: Apache-2.0
"""A core as a device that a program can open before there is a board."""

from .device import Device
from .server import address_of, listen, serve, serve_all

__all__ = ["Device", "address_of", "listen", "serve", "serve_all"]
