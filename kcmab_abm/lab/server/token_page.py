"""The page that those see who come without the token: what to do, and a field for it."""

from __future__ import annotations

from html import escape

ASKS = "This lab requires a token; open the address printed where it was started."

_PAGE = """<!doctype html>
<html lang="en-GB"><head><meta charset="utf-8"><title>kcmab lab: token</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font: 1.05rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 2rem auto;
  padding: 0 1rem; }}
input, button {{ font: inherit; padding: 0.5rem; }}
:focus-visible {{ outline: 3px solid #c27c00; outline-offset: 2px; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #121417; color: #f0f0f0; }} }}
</style></head><body><main>
<h1>Which token?</h1>
<p>{words}</p>
<p>If you were here before, the lab has been restarted with another token. Ask for the new one: once
you have entered it, you are back where you were.</p>
<form method="get" action="{path}">{kept}
<label>Token <input name="token" autocomplete="off" autocapitalize="off" required></label>
<button>Enter</button></form>
</main></body></html>
"""


def token_page(path: str, query: list[tuple[str, str]]) -> str:
    """The page for a visitor of this address, which the form keeps."""
    kept = "".join(
        f'<input type="hidden" name="{escape(word)}" value="{escape(value)}">'
        for word, value in query
        if word != "token"
    )
    place = "/" + path.lstrip("/\\")
    return _PAGE.format(words=escape(ASKS), path=escape(place), kept=kept)
