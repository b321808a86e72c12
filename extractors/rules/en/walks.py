"""Whether an English text without days leads its reader along a single walk."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extractors.rules.common.lines import Line

#: A sentence that tells where the walk begins or ends.
_ENDS = re.compile(
    r"(?:^|[.!?]\s+|\bso )(?:begin|start|finish|end)(?: up)? (?:at|in|on|with|off)\b|\b(?:so"
    r"|then) begin\b",
    re.IGNORECASE | re.MULTILINE,
)
#: Which way to go on foot.
_WAYS = re.compile(
    r"\b[Tt]urn (?:left|right|into|onto|off)\b|(?:^|[.!?]\s+)Cross (?:the )?[A-Z]"
    r"|\b[Ww]alk (?:past|along|up|down|through|[A-Z])|"
    r"\b(?:a)?round the corner\b|\bblocks? (?:(?:further )?(?:north|south|east|west)|away)\b"
    r"|\b[Aa] (?:left|right) (?:along|on|onto|into)\b|"
    r"\b(?:[Nn]orth|[Ss]outh|[Ee]ast|[Ww]est) (?:on|along|to) |\b[Aa]cross the (?:road|street"
    r"|square|river)\b|(?:^|[.!?]\s+)Past ",
    re.MULTILINE,
)
_LEAST_WAYS = 2


def is_walk(lines: Sequence[Line]) -> bool:
    """Whether sentences say where to begin or end, and at least twice which way to go."""
    text = "\n".join(line.text for line in lines if line.kind == "paragraph")
    return bool(_ENDS.search(text)) and len(_WAYS.findall(text)) >= _LEAST_WAYS
