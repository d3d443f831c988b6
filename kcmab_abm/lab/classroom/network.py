"""How phones find this machine."""

from __future__ import annotations

import socket

import segno

_ELSEWHERE = ("192.0.2.1", 9)  # reserved for documentation; nothing is sent there


def lan_address() -> str:
    """The address of this machine in its network; 127.0.0.1 if it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def qr_code(address: str) -> str:
    """The address as an SVG picture."""
    return segno.make(address, error="m").svg_inline(border=2, light="#ffffff", omitsize=True)
