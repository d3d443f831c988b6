"""The browser used by the measurements and the tests of the lab."""

from __future__ import annotations

import shutil

# The first is Chromium without the windows around the page, and starts in half the time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find_browser() -> str | None:
    """The path of the first browser that is installed."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)
