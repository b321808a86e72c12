"""Makes sure that Python finds tripbed's own packages and not others with the same names."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

#: The top-level packages that are installed next to this one.
PACKAGES = (
    "schemas", "storage", "queries", "sources", "extractors", "geocoding", "warehouse",
    "validators", "flows",
)  # fmt: skip


class HiddenPackageError(ImportError):
    """Raised if Python finds a different module under the name of one of tripbed's packages."""


def check_packages() -> None:
    """Raise HiddenPackageError if a package of tripbed is missing or hidden by a different
    module."""
    home = Path(__file__).resolve().parents[1]
    for name in PACKAGES:
        found = _find(name)
        if found is None:
            raise HiddenPackageError(
                f"tripbed's package {name!r} is missing next to {home / 'tripbed'}: reinstall"
                " tripbed",
                name=name,
            )
        if found != home / name / "__init__.py":
            raise HiddenPackageError(_explain(name, found, home), name=name, path=str(found))


def _find(name: str) -> Path | None:
    """Return the file that an import of this name runs, or the folder if there is no file."""
    try:
        spec = find_spec(name)
    except ValueError:  # a module that was made by hand has no origin
        held = getattr(sys.modules[name], "__file__", None)
        return Path(held).resolve() if held else Path(f"<{name}>")
    if spec is None:
        return None
    places = [spec.origin] if spec.origin else list(spec.submodule_search_locations or ())
    return Path(places[0]).resolve() if places else None


def _explain(name: str, found: Path, home: Path) -> str:
    own = found.parent if found.name == "__init__.py" else found
    advice = (
        f"Rename {own}, or make sure that Python does not search {own.parent}: this folder must be"
        " neither the script's folder nor the working folder, and must not be in PYTHONPATH."
    )
    if any(part in ("site-packages", "dist-packages") for part in own.parts):
        advice = f"An installed package contains {own}: install tripbed in a separate environment."
    if name in sys.modules:
        advice += " Then start Python again."
    return (
        f"tripbed has a package {name!r} in {home}, but Python finds a different module first: "
        f"{found}. {advice}"
    )
