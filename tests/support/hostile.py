"""Texts and numbers as nobody should be able to harm with."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from flows.errors import explain_error
from sources.web.errors import UnreadableDocument

CANARY = "canary-c0ffee"
PARTS = (
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    '=HYPERLINK("http://127.0.0.1:9/x")',
    "\t=1",
    "<script>alert(1)</script>",
    "</script><svg onload=alert(1)>",
    "javascript:alert(1)",
    "![x](http://127.0.0.1:9/x)",
    "{{7*7}}",
    "${7*7}",
    "%s%n",
    "`id`",
    "$(id)",
    "; rm -rf x",
    "|",
    "\u202eabc\u202c",
    "\u2066x\u2069",
    "\u200b\u200d",
    "\ufeff",
    "\u00ad",
    "p\u0430ypal",
    "ℍangzhou",
    "../../etc/passwd",
    "..\\..\\x",
    "/etc/passwd",
    "file:///etc/passwd",
    "CON",
    "a\x00b",
    "\x1b[2J",
    "NaN",
    "nan",
    "inf",
    "-Infinity",
    "1e400",
    "9" * 400,
    "0x1F",
    "-0",
    "145,50",
    "１２",
    "٣",
    "!!python/object/apply:os.system ['x']",
    "&a [*a]",
    "<<: *x",
    "- - - -",
    "\ud7ff",
    "😀" * 50,
    "A" * 5000,
    '"',
    "'",
    "\r\n",
    "\n\n",
    ",,,,",
    ";",
    "\\",
    "",
    " ",
)
NUMBERS = ("NaN", "inf", "-inf", "1e400", "145", "50", "-91", "", "x", "0", "120.1", "9" * 30)


def hostile_text(rng: random.Random) -> str:
    """A text of up to four such parts."""
    return "".join(rng.choice(PARTS) for _ in range(rng.randint(1, 4)))


def assert_told(error: Exception) -> None:
    """Only errors that a user is told; an ``UnreadableDocument`` sets one document aside."""
    if not isinstance(error, UnreadableDocument):
        assert explain_error(error), repr(error)


def play(kind: Callable[[random.Random, Path], None], seed: int, folder: Path) -> None:
    """Play one hostile input in a new folder: it is told or does nothing, and runs nothing."""
    folder.mkdir()
    try:
        kind(random.Random(f"{kind.__name__} {seed}"), folder)
    except AssertionError:
        raise
    except Exception as error:
        assert_told(error)
    assert not any(CANARY in str(path.relative_to(folder)) for path in folder.rglob("*"))
