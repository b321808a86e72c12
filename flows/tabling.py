"""The commands about structured sources: print what came of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from flows.display import build_progress

_SHOWN = 3


def audit(directory: Path, layout: str, names: list[str], out: Path | None, as_json: bool) -> int:
    """Audit a folder; 1 where a finding is an error."""
    from flows import table_audit

    with build_progress(len(names) or None, quiet=False) as step:
        found = table_audit.audit(directory, layout, names, step)
    if out is not None:
        lines = [json.dumps(finding, ensure_ascii=False) + "\n" for finding in found["findings"]]
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text("".join(lines), encoding="utf-8")
    if as_json:
        print(json.dumps(found, ensure_ascii=False))
    else:
        _print(found, out)
    return 1 if found["by_severity"].get("error") else 0


def _print(found: dict[str, Any], out: Path | None) -> None:
    severities = ", ".join(f"{n} {name}" for name, n in sorted(found["by_severity"].items()))
    print(f"{len(found['cities'])} cities: {severities or 'nothing found'}")
    for facts in found["by_kind"]:
        print(
            f"  {facts['severity']:<8} {facts['kind']:<26} {facts['table']:<15}"
            f" {facts['rows']:>6}  {facts['action']}: {facts['done']}"
        )
        examples = [
            f for f in found["findings"]
            if (f["kind"], f["table"]) == (facts["kind"], facts["table"])
        ][:_SHOWN]  # fmt: skip
        for finding in examples:
            line = f":{finding['line']}" if finding["line"] else ""
            print(f"      {finding['file']}{line}: {finding['message']}")
    if out is not None:
        print(str(out), file=sys.stderr)
