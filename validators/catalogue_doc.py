"""docs/gates.md, derived from the catalogue: ``python -m validators.catalogue_doc``."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from validators.gates import CATALOGUE, THEMES

TARGET = Path("docs/gates.md")

_HEAD = """# Gates

{count} gates check a snapshot before it is published, and in `tripbed validate`. A failed gate of
severity error blocks publishing; a warning is only reported. Written by
`python -m validators.catalogue_doc`; a test fails when it is stale.
"""


def gates_page() -> str:
    """The page as Markdown."""
    parts = [_HEAD.format(count=len(CATALOGUE)).strip()]
    for theme, gates in THEMES.items():
        lines = [
            f"## {theme}",
            "",
            "| gate | checks | why | to mend | severity |",
            "|---|---|---|---|---|",
        ]
        for gate in gates:
            checks = (
                (inspect.getdoc(gate.check) or "").split("\n\n", maxsplit=1)[0].replace("\n", " ")
            )
            lines.append(f"| `{gate.id}` | {checks} | {gate.why} | {gate.mend} | {gate.severity} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    TARGET.write_text(gates_page(), encoding="utf-8")
    sys.stdout.write(f"{TARGET}\n")
