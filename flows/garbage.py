"""Makes Python look for garbage less often."""

from __future__ import annotations

import gc


def collect_garbage_rarely() -> None:
    """Look for garbage after 50,000 new objects rather than 700.

    Most objects of a command live until it ends, such as modules, dictionaries and gazetteers. To
    look through them again and again takes 8% of the time in which the sample city is built.
    """
    gc.set_threshold(50_000)
