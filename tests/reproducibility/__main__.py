"""Print the digests of this installation as JSON; `--write` stores them."""

import json
import sys

from tests.reproducibility.scenes import KNOWN, digests

if __name__ == "__main__":
    text = json.dumps(digests(), indent=2) + "\n"
    if "--write" in sys.argv:
        KNOWN.write_text(text)
    print(text, end="")
