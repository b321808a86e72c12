"""What the page shows of a row: its sentence, marked passages, rivals, and nothing that acts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from flows.review.desk import http
from flows.review.desk.around import name_fit
from flows.review.desk.queue import KINDS, QueueRow, queue
from flows.review.desk.shown import ShownQueue, mark_pieces, visible
from flows.review.samples.passages import DocumentTexts
from tests.support.flows.report.snapshots import SCRIPT
from tests.support.flows.reviewing import LAKE, TEMPLE, reviewed_snapshot
from warehouse.read import Snapshot


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return Snapshot(reviewed_snapshot(tmp_path_factory.mktemp("reviewed")))


def first(snapshot: Snapshot, kind: str, number: int = 0) -> dict[str, Any]:
    return ShownQueue(snapshot, None).row(queue(snapshot, kind, None, None)[number])


@pytest.mark.parametrize("kind", KINDS)
def test_every_row_is_a_sentence(snapshot: Snapshot, kind: str) -> None:
    shown = ShownQueue(snapshot, None)
    for item in queue(snapshot, kind, None, None):
        row = shown.row(item)
        assert row["sentence"].endswith(".")
        assert row["city"] == "Hangzhou"
        assert not re.search(r"[\u202a-\u202e\x00-\x08]|poi_[0-9a-f]{16}", row["sentence"])


@pytest.mark.parametrize(
    ("kind", "number", "sentence"),
    [
        ("links", 0, "In this text, “镜湖边” is none of the known places in Hangzhou."),
        ("links", 2, "In this text, “湖” is 镜湖 / Mirror Lake in Hangzhou."),
        ("links", 4, "In this text, “外滩” is a place in Hangzhou that no table contains."),
        ("tags", 0, "The text says that 镜湖 / Mirror Lake in Hangzhou was visited in spring."),
    ],
)
def test_sentences(snapshot: Snapshot, kind: str, number: int, sentence: str) -> None:
    assert first(snapshot, kind, number)["sentence"] == sentence


def test_what_other_sources_say_stands_beside(snapshot: Snapshot) -> None:
    told = {first(snapshot, "facts", n)["beside"] for n in (0, 1)}
    assert told == {
        "Others say: 60 (gazetteer.csv, line 2).", "Others say: 30 (gazetteer.csv, line 2).",
    }  # fmt: skip


def test_rivals_have_what_tells_them_apart(snapshot: Snapshot) -> None:
    row = first(snapshot, "links", 2)
    assert row["rivals_are"] == "Rivals"
    assert (row["place"]["poi_id"], row["place"]["fits"]) == (
        LAKE,
        "has a longer name that contains this name",
    )
    (rival,) = row["rivals"]
    assert (rival["poi_id"], rival["documents"], rival["fits"]) == (
        TEMPLE,
        1,
        "0% of the letters match",
    )
    assert 2000 < rival["metres"] < 4000


def test_names_alike_are_rivals_where_the_build_has_none(snapshot: Snapshot) -> None:
    item = queue(snapshot, "links", None, None)[0]
    lone = QueueRow("unlinked_names", {**item.row, "rivals": []}, (0,))
    row = ShownQueue(snapshot, None).row(lone)
    assert (row["rivals_are"], [r["poi_id"] for r in row["rivals"]]) == (
        "Places with similar names",
        [LAKE],
    )


@pytest.mark.parametrize(
    ("name", "called", "fit"),
    [
        ("West Lake", ["westlake", "xihu"], "has exactly this name"),
        ("Lake", ["westlake"], "has a longer name that contains this name"),
        ("The West Lake Park", ["westlake"], "has a shorter name that is part of this name"),
        ("abcd", ["abxy"], "50% of the letters match"),
        ("abcd", [], "0% of the letters match"),
    ],
)
def test_how_names_fit(name: str, called: list[str], fit: str) -> None:
    assert name_fit(name, called) == fit


def test_a_search_is_of_the_row_s_city(snapshot: Snapshot) -> None:
    shown, (item, *_) = ShownQueue(snapshot, None), queue(snapshot, "links", None, None)
    assert [found["poi_id"] for found in shown.find(item, "mirror")] == [LAKE]
    assert shown.find(item, "nowhere") == shown.find(item, " ") == []
    linked = queue(snapshot, "links", None, None)[2]
    assert shown.knows(item, LAKE)
    assert not shown.knows(linked, LAKE), "it is linked to that one"
    assert not shown.knows(item, "poi_" + "0" * 16)
    trip = queue(snapshot, "trajectories", None, None)[0]
    assert not shown.knows(trip, LAKE), "a trip is no place"


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(4, 6)], "…23[45]67…"),
        ([(0, 1)], "[0]12…"),
        ([(9, 10)], "…78[9]"),
        ([(1, 2), (4, 5)], "0[1]23[4]56…"),
        ([(0, 1), (8, 9)], "[0]12…67[8]9"),
        ([(2, 5), (3, 6)], "01[234][5]67…"),
        ([(2, 5), (2, 5)], "01[234]56…"),
        ([(0, 10)], "[0123456789]"),
    ],
)
def test_pieces_of_a_text(spans: list[tuple[int, int]], expected: str) -> None:
    pieces = mark_pieces("0123456789", spans, 2)
    assert "".join(f"[{text}]" if marked else text for text, marked in pieces) == expected


def test_a_passage_is_marked_where_the_name_stands(snapshot: Snapshot, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Lake\n\nA text about something else.\n", encoding="utf-8")
    shown = ShownQueue(snapshot, DocumentTexts([tmp_path], None))
    (passage,) = shown.row(queue(snapshot, "links", None, None)[0])["passages"]
    assert (passage["pieces"], passage["note"]) == (
        [],
        "the given folders and workspace do not contain the document",
    )
    (passage,) = first(snapshot, "links")["passages"]
    assert "--workspace" in passage["note"]


def test_what_acts_unseen_is_written_out() -> None:
    told = {"a": ["x\u202ey\u200bz", {"b": "\x07\ud800"}], "n": 3, "ok": "a\nb\u200dc"}
    assert visible(told) == {
        "a": ["x⟨202E⟩y⟨200B⟩z", {"b": "⟨0007⟩⟨D800⟩"}],
        "n": 3,
        "ok": "a\nb\u200dc",
    }


def test_the_page_holds_no_data_and_allows_no_other_script() -> None:
    made = http.make_page()
    assert SCRIPT not in made.html
    assert made.html.count("<script") == 2
    assert "default-src 'none'" in made.policy
    assert "'unsafe-inline'" not in made.policy
    assert "innerHTML" not in made.html
    assert not re.search(r"(src|href)=[\"'](?!data:|#)", made.html)
