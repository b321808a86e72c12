"""Defines the errors of the warehouse. Every message says what the user can do."""

from __future__ import annotations

from collections.abc import Iterable


class SnapshotError(ValueError):
    """Raised if a folder is not a snapshot, or if the snapshot is damaged."""


class WarehouseError(RuntimeError):
    """Raised if a snapshot cannot be written or published."""


class SandboxError(ValueError):
    """Raised if the sandbox does not have what the caller asks for.

    ``nearest`` lists similar names.
    """

    def __init__(self, message: str, nearest: tuple[str, ...] = ()):
        self.nearest = tuple(nearest)
        hint = f" Did you mean: {', '.join(self.nearest)}?" if self.nearest else ""
        super().__init__(f"{message}.{hint}")

    def __reduce__(self) -> tuple[object, ...]:
        return _sandbox_error, (str(self), self.nearest)


def _sandbox_error(text: str, nearest: tuple[str, ...]) -> SandboxError:
    """Recreate the error in another process."""
    made = SandboxError("", nearest)
    made.args = (text,)
    return made


def nearest_words(word: str, words: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Find the words most similar to a misspelt word, best first."""
    # Imported here because few commands need it.
    from rapidfuzz import fuzz, process

    hits = process.extract(
        word, sorted(set(words)), scorer=fuzz.WRatio, limit=limit, score_cutoff=50
    )
    return tuple(hit[0] for hit in hits)
