"""The secret behind the cookies, kept on this machine so that a restart asks nobody for a token."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets

from platformdirs import user_state_path

_FILE = "lab-cookies"
_LENGTH = 32  # bytes


def cookie_secret(token: str) -> str:
    """The word in the cookie of those who have shown this token; the same after a restart."""
    return hmac.new(_machine_secret(), token.encode(), hashlib.sha256).hexdigest()


def _machine_secret() -> bytes:
    """The secret of this machine; a new one if it cannot be kept."""
    path = user_state_path("kcmab-abm") / _FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            place = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            pass
        else:
            with os.fdopen(place, "wb") as file:
                file.write(secrets.token_bytes(_LENGTH))
        kept = path.read_bytes()
    except OSError:
        kept = b""
    return kept if len(kept) == _LENGTH else secrets.token_bytes(_LENGTH)
