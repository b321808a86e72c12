"""The Python interface of tripbed: build, read and query snapshots, and check and score plans.

>>> import tripbed
>>> made = tripbed.build("成都", documents=["pages"], tables="tables", out="snapshots")
>>> tripbed.validate(made.path).passed
True
>>> tripbed.read_snapshot(made.path).table("pois").height
8
>>> box = tripbed.Sandbox(made.path)
>>> box.nearby("chengdu", "attractions", "武侯祠", k=3)

Importing tripbed is fast, because each name is loaded only when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tripbed.packages import check_packages

if TYPE_CHECKING:
    from tripbed.building import build as build
    from tripbed.planning import Score as Score
    from tripbed.planning import check_plan as check_plan
    from tripbed.planning import score_plan as score_plan
    from tripbed.reading import read_snapshot as read_snapshot
    from tripbed.reading import validate as validate
    from validators.plans.check import Report as Report
    from validators.validate import Verdict as Verdict
    from warehouse.publish import Published as Published
    from warehouse.read import Snapshot as Snapshot
    from warehouse.sandbox import Sandbox as Sandbox

    __version__: str

#: The module from which each name is loaded when it is first used.
_MODULES = {
    "Published": "warehouse.publish",
    "Report": "validators.plans.check",
    "Sandbox": "warehouse.sandbox",
    "Score": "tripbed.planning",
    "Snapshot": "warehouse.read",
    "Verdict": "validators.validate",
    "build": "tripbed.building",
    "check_plan": "tripbed.planning",
    "read_snapshot": "tripbed.reading",
    "score_plan": "tripbed.planning",
    "validate": "tripbed.reading",
}
__all__ = list(_MODULES)

check_packages()


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("tripbed")
    if name not in _MODULES:
        raise AttributeError(f"module 'tripbed' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, "__version__"})
