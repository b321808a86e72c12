"""Errors of the warehouse; every message says what to do."""

from __future__ import annotations

from collections.abc import Iterable


class SnapshotError(ValueError):
    """A folder that is no snapshot, or one that cannot be trusted."""


class WarehouseError(RuntimeError):
    """A snapshot could not be written or published."""


class SandboxError(ValueError):
    """A question about what the sandbox does not have; ``nearest`` lists what comes close."""

    def __init__(self, message: str, nearest: tuple[str, ...] = ()):
        self.nearest = tuple(nearest)
        hint = f" Did you mean: {', '.join(self.nearest)}?" if self.nearest else ""
        super().__init__(f"{message}.{hint}")

    def __reduce__(self) -> tuple[object, ...]:
        return _sandbox_error, (str(self), self.nearest)


def _sandbox_error(text: str, nearest: tuple[str, ...]) -> SandboxError:
    """The same error on the other side of a process."""
    made = SandboxError("", nearest)
    made.args = (text,)
    return made


def nearest_words(word: str, words: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Words that come close to a misspelt one, best first."""
    # Only needed here, and not at every start.
    from rapidfuzz import fuzz, process

    hits = process.extract(
        word, sorted(set(words)), scorer=fuzz.WRatio, limit=limit, score_cutoff=50
    )
    return tuple(hit[0] for hit in hits)
