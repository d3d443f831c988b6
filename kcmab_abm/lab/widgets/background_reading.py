"""Reading visitors' files and links in another thread, so that nobody else has to wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from nicegui import run

Found = TypeVar("Found")

_reading = asyncio.Semaphore(1)  # files and links of all visitors, one at a time


async def read_in_background(read: Callable[..., Found], *given: object) -> Found | None:
    """Call a function in another thread; returns None if the server is shutting down."""
    async with _reading:
        return await run.io_bound(read, *given)
