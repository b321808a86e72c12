"""Times and durations in the forms of the data dictionary."""

from __future__ import annotations

import re

_CLOCK = re.compile(
    r"(?P<h>\d{1,2})\s*(?:[:：.]\s*(?P<m>\d{2})|[点时]\s*(?:(?P<mz>\d{1,2})\s*分?|(?P<half>半)"
    r"|(?P<q>一刻))?)?\s*(?P<ap>[ap]\.?m\.?)?",
    re.IGNORECASE,
)
_LATE = re.compile(r"(?:下午|傍晚|晚上|晚|夜里|夜)\s*$")


def clock(text: str, before: str = "") -> str | None:
    """A clock time as HH:MM; ``before`` may hold 下午 or 晚上. None when it is no time."""
    match = _CLOCK.match(text.strip())
    if match is None:
        return None
    hour = int(match["h"])
    minute = int(match["m"] or match["mz"] or (30 if match["half"] else 15 if match["q"] else 0))
    late = (match["ap"] or "").lower().startswith("p") or bool(_LATE.search(before))
    if late and hour < 12:
        hour += 12
    if (match["ap"] or "").lower().startswith("a") and hour == 12:
        hour = 0
    return f"{hour:02d}:{minute:02d}" if hour <= 24 and minute < 60 else None


def clock_range(first: str, last: str, before: str = "") -> str | None:
    """Two clock times as HH:MM-HH:MM; a close before the opening is in the afternoon."""
    opens, closes = clock(first, before), clock(last)
    if opens is None or closes is None:
        return None
    if closes < opens and closes < "12:00" and not re.search("[ap]m", last, re.IGNORECASE):
        closes = f"{int(closes[:2]) + 12:02d}{closes[2:]}"
    return f"{opens}-{closes}" if opens != closes else None


def number_text(number: float) -> str:
    """A number without needless decimals."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def hours_text(first: float, last: float | None = None) -> str:
    """A length in hours, or a range of lengths."""
    if last is None or last <= first:
        return number_text(first)
    return f"{number_text(first)}-{number_text(last)}"
