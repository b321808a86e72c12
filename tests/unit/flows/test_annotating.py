"""Two annotators of attraction types: kappa by hand, adjudication, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from extractors.agreement import Types, adjudicate, cohen_kappa, fleiss_kappa, per_type
from extractors.tasks.name_tasks import Classification, Classified
from flows.review import annotate as annotating
from flows.settings.environment import NO_SETTINGS
from schemas.tasks import Grounded, Unanswered
from tests.support.flows.running import run


def test_kappa_by_hand() -> None:
    first = [True] * 20 + [True] * 5 + [False] * 10 + [False] * 15
    second = [True] * 20 + [False] * 5 + [True] * 10 + [False] * 15
    found = cohen_kappa(first, second)
    # observed 35/50; chance (25 x 30 + 25 x 20) / 2500 = 0.5
    assert found.observed == 0.7
    assert found.kappa == pytest.approx(0.4)
    assert (found.first_yes, found.second_yes, found.both_yes) == (25, 30, 20)
    assert cohen_kappa([True, False], [False, True]).kappa == -1
    assert cohen_kappa([True, False], [True, False]).kappa == 1
    assert cohen_kappa([False, False], [False, False]).kappa is None
    assert cohen_kappa([True, True], [False, True]).kappa == 0
    with pytest.raises(ValueError, match="same items"):
        cohen_kappa([True], [])


#: Fourteen raters, ten items, five codes: a worked example of Fleiss' kappa that is widely printed.
FOURTEEN = (
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
)  # fmt: skip


def test_fleiss_kappa_of_the_known_example() -> None:
    items = [[code for code, n in enumerate(counts) for _ in range(n)] for counts in FOURTEEN]
    found = fleiss_kappa(items)
    assert found is not None
    assert (found.n_items, found.raters) == (10, 14)
    assert found.observed == pytest.approx(0.378, abs=5e-4)
    assert found.kappa == pytest.approx(0.210, abs=5e-4)


def test_fleiss_kappa_at_the_edge() -> None:
    same = fleiss_kappa([[1, 1, 1], [1, 1, 1]])
    assert same is not None
    assert (same.observed, same.kappa) == (1.0, None), "chance alone would agree"
    assert fleiss_kappa([[1], [0]]) is None
    assert fleiss_kappa([]) is None
    with pytest.raises(ValueError, match="must have the same number of raters"):
        fleiss_kappa([[1, 0], [1, 0, 1]])


def test_kappa_by_type_counts_what_both_annotated() -> None:
    first = {
        "a": Types("park"),
        "b": Types("garden", frozenset({"hidden_gem"})),
        "c": Types("park"),
    }
    second = {"a": Types("park"), "b": Types("park", frozenset({"hidden_gem"})), "d": Types("park")}
    found = per_type(first, second, ("park", "garden"), ("hidden_gem", "immersive"))
    assert {code: k.n_items for code, k in found.items()} == dict.fromkeys(found, 2)
    assert (found["park"].kappa, found["garden"].kappa) == (0, 0)
    assert (found["hidden_gem"].kappa, found["immersive"].kappa) == (1, None)
    assert per_type({}, second, ("park",), ()) == {}


PARK, GARDEN, SHOW = Types("park"), Types("garden"), frozenset({"immersive"})


@pytest.mark.parametrize(
    ("first", "second", "third", "types", "status"),
    [
        (PARK, PARK, None, PARK, "agreed"),
        (PARK, GARDEN, GARDEN, GARDEN, "adjudicated"),
        (PARK, GARDEN, Types("library"), Types(None), "review"),
        (PARK, GARDEN, None, Types(None), "review"),
        (PARK, None, PARK, PARK, "review"),
        (Types(None), PARK, PARK, PARK, "adjudicated"),
        (Types("park", SHOW), PARK, Types("park", SHOW), Types("park", SHOW), "adjudicated"),
        (Types("park", SHOW), PARK, PARK, PARK, "adjudicated"),
        (None, None, PARK, Types(None), "review"),
    ],
)
def test_two_of_three_decide_and_the_rest_is_for_review(
    first: Types | None, second: Types | None, third: Types | None, types: Types, status: str
) -> None:
    assert adjudicate(first, second, third) == (types, status)


class Fixed:
    """An engine with one answer for each name, and none for a batch that holds ``lost``."""

    def __init__(self, answers: dict[str, str | None]) -> None:
        self.answers = answers

    def run(self, task: Any, item: Any) -> Grounded[Classification]:
        names = [place.name for place in item.places]
        if "lost" in names:
            raise Unanswered("empty")
        said = [Classified(name=n, base=self.answers[n]) for n in names if n in self.answers]
        return Grounded(output=Classification(places=tuple(said)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [
        "一园,30.2,120.1,park",
        "二园,30.3,120.1,garden",
        "三馆,30.3,120.2,",
        "四馆,30.2,120.2,library",
    ]
    text = "\n".join(("name_zh,lat,lon,types", *rows))
    (tmp_path / "gazetteer.csv").write_text(text, encoding="utf-8")
    return tmp_path


def test_the_command(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engines = {
        "rules": Fixed({"一园": "park", "二园": "park", "三馆": "library", "四馆": "garden"}),
        "openai": Fixed(
            {"一园": "park", "二园": "garden", "三馆": "park", "四馆": "museum_memorial"}
        ),
    }
    monkeypatch.setattr(annotating, "engine_named", lambda name, settings: engines[name])
    out = folder / "rows.jsonl"
    outcome = run("tables", "annotate", folder, "--city", "hangzhou", "--json", "--out", out)
    assert outcome.code == 0
    found = json.loads(outcome.out)
    assert found["status"] == {"agreed": 1, "adjudicated": 1, "review": 2}
    assert found["adjudicator"] == "source"
    rows = {row["name"]: row for row in map(json.loads, out.read_text("utf-8").splitlines())}
    assert rows["二园"]["base_type"] == "garden"
    assert (rows["三馆"]["base_type"], rows["三馆"]["by_openai"]) == (None, ["park"])
    assert found["kappa"]["park"]["n_items"] == 4
    assert sum(found["status"].values()) == found["places"] == len(rows)


def test_places_without_an_answer_wait_for_a_review(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "gazetteer.csv").write_text("name_zh,lat,lon,types\nlost,30.2,120.1,park\n", "utf-8")
    monkeypatch.setattr(annotating, "engine_named", lambda name, settings: Fixed({}))
    found = annotating.annotate(
        folder, "tripbed", ["hangzhou"], ["rules", "openai"], NO_SETTINGS, str
    )
    assert (found["answered_by_both"], found["kappa"]) == (0, {})
    assert found["status"]["review"] == 1


@pytest.mark.parametrize(
    ("who", "said"),
    [("rules,rules", "two different"), ("rules,nobody", "there is no annotator 'nobody'"),
     ("rules,cascade", "not an independent annotator"), ("rules", "two different")],
)  # fmt: skip
def test_wrong_annotators(folder: Path, who: str, said: str) -> None:
    outcome = run("tables", "annotate", folder, "--city", "hangzhou", "--annotators", who)
    assert outcome.code == 2
    assert said in outcome.err
