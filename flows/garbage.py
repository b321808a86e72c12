"""Makes Python look for garbage less often."""

from __future__ import annotations

import gc


def collect_garbage_rarely() -> None:
    """Look for garbage after 50,000 new objects, which is less often than Python does by default.

    Most objects, such as modules, dictionaries and gazetteers, live until the command ends.
    Checking these long-lived objects again and again would slow down a build by almost a tenth.
    """
    gc.set_threshold(50_000)
