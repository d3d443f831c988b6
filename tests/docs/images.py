"""The steps of a Dockerfile, carried out without a container engine."""

from __future__ import annotations

from tests.docs.blocks import Block

# A Python with nothing in it; the files but for those that .dockerignore names; a command.
STEPS = {
    "FROM": "python3 -m venv ../image; . ../image/bin/activate",
    "COPY": "mkdir -p {1}; tar -C {0} --exclude-from=.dockerignore -c . | tar -C {1} -x",
    "RUN": "{}",
}


def as_shell(block: Block) -> str:
    """A script that does what the Dockerfile says, in an environment that it leaves again."""
    lines = ["("]
    for line in block.text.splitlines():
        step, _, words = line.partition(" ")
        if step not in STEPS:
            raise block.error(f"{step}; allowed are {', '.join(STEPS)}")
        lines.append(STEPS[step].format(*([words] if step == "RUN" else words.split())))
    return "\n".join([*lines, ")"])
