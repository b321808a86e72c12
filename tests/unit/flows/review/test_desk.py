"""The queue of a review, its answers in the store, undo, and the agreement of readers."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from flows.errors import SettingsError
from flows.review import forms
from flows.review.desk.desk import (
    Changed,
    RefusedAnswer,
    ReviewAnswer,
    ReviewDesk,
    answer_of,
    parse_answer,
    reader_name,
)
from flows.review.desk.queue import KINDS, QueueRow, queue
from flows.review.forms import ELSEWHERE, label_of, read_decisions
from flows.review.store import (
    DECISIONS_FILE,
    list_decisions,
    put_decision,
    store_decisions,
)
from tests.support.flows.reviewing import LAKE, TEMPLE, decided, reviewed_snapshot
from warehouse.read import Snapshot

TODAY = dt.date(2026, 3, 1)
Folder = Path


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return Snapshot(reviewed_snapshot(tmp_path_factory.mktemp("reviewed")))


@pytest.fixture
def links(snapshot: Snapshot) -> list[QueueRow]:
    return queue(snapshot, "links", None, None)


class TestQueue:
    def test_links_come_least_certain_first(self, links: list[QueueRow]) -> None:
        assert [(item.table, item.row["name"]) for item in links] == [
            ("unlinked_names", "镜湖边"),  # waits for a person
            ("links", "堂"),  # nothing was compared
            ("links", "湖"),  # margin 3
            ("links", "寺"),  # margin 40
            ("unlinked_names", "外滩"),  # no place here
            ("links", "镜湖"),  # the name is known
        ]
        assert links[2].why == "score 90 of 100, margin 3: told"

    @pytest.mark.parametrize(
        ("kind", "first"),
        [
            ("places", "its coordinates are unknown"),
            ("queries", "0 trajectories and 0 places found"),
            ("candidates", "rank 2, score 1, from a document"),
            ("facts", "sources disagree"),
            ("tags", "one passage says so"),
            ("plans", "too dear"),
            ("trajectories", "2 of 0 stops are known places"),
        ],
    )
    def test_doubt_is_told(self, snapshot: Snapshot, kind: str, first: str) -> None:
        assert queue(snapshot, kind, None, None)[0].why == first

    @pytest.mark.parametrize("kind", KINDS)
    def test_every_row_is_asked_once(self, snapshot: Snapshot, kind: str) -> None:
        found = [(item.table, item.row_id) for item in queue(snapshot, kind, None, None)]
        assert (
            len(found) == len(set(found)) == sum(snapshot.table(t).height for t in KINDS[kind][0])
        )

    def test_a_sample_is_drawn_by_the_snapshot(self, snapshot: Snapshot) -> None:
        drawn = [item.row_id for item in queue(snapshot, "links", 4, None)]
        assert drawn == [item.row_id for item in queue(snapshot, "links", 6, None)][:4]
        seeds = {tuple(i.row_id for i in queue(snapshot, "links", 4, seed)) for seed in "abcd"}
        assert len(seeds) > 1

    def test_an_unknown_kind_is_refused(self, snapshot: Snapshot) -> None:
        with pytest.raises(
            SettingsError, match="'pois' cannot be reviewed: --table must be one of places, links"
        ):
            queue(snapshot, "pois", None, None)


class TestAnswers:
    @pytest.mark.parametrize(
        ("answer", "decision", "instead"),
        [
            (ReviewAnswer("right"), "accept", ""),
            (ReviewAnswer("wrong", reason="no"), "reject", ""),
            (ReviewAnswer("same_as", LAKE), "reject", LAKE),
            (ReviewAnswer("not_here"), "reject", ELSEWHERE),
            (ReviewAnswer("unsure"), "unsure", ""),
        ],
    )
    def test_an_answer_is_a_decision_and_back(
        self, links: list[QueueRow], answer: ReviewAnswer, decision: str, instead: str
    ) -> None:
        row = forms.decision_row(
            links[0].about, "one", answer.decision, answer.reason, TODAY, answer.instead
        )
        assert (row["decision"], row.get("instead", "")) == (decision, instead)
        assert answer_of(row) == answer

    @pytest.mark.parametrize(
        "value",
        [
            {}, {"answer": "yes"}, {"answer": "same_as"}, {"answer": "right", "poi_id": LAKE},
            {"answer": "right", "reason": "x" * 1001}, {"answer": "right", "reason": "a\u202eb"},
            {"answer": "right", "reason": "\ud800"}, {"answer": "same_as", "poi_id": [LAKE]},
            {"answer": ["right"]},
        ],
    )  # fmt: skip
    def test_what_is_no_answer_is_refused(self, value: dict[str, str]) -> None:
        with pytest.raises(RefusedAnswer):
            parse_answer(value)

    @pytest.mark.parametrize("name", ["", "  ", "x" * 41, "a\u202eb", "a\x00", None, 3])
    def test_what_is_no_name_is_refused(self, name: object) -> None:
        with pytest.raises(RefusedAnswer):
            reader_name(name)

    def test_a_name_is_kept_without_spare_space(self) -> None:
        assert reader_name("  安娜   two ") == "安娜 two"


class TestDecisions:
    def test_an_answer_is_in_the_store_at_once(
        self, links: list[QueueRow], tmp_path: Folder
    ) -> None:
        desk = ReviewDesk(links, tmp_path, None)
        desk.decide("one", 2, ReviewAnswer("same_as", TEMPLE, "told\u2028so"), None)
        (row,) = list_decisions(tmp_path, None)
        assert (row["row_id"], row["fact_hash"]) == (links[2].row_id, links[2].fact_hash)
        assert (row["reviewer"], row["decision"], row["instead"]) == ("one", "reject", TEMPLE)
        assert ReviewDesk(links, tmp_path, None).marks("one") == "..s...", "another server finds it"

    def test_undo_takes_back_one_by_one(self, links: list[QueueRow], tmp_path: Folder) -> None:
        desk = ReviewDesk(links, tmp_path, None)
        desk.decide("one", 0, ReviewAnswer("right"), None)
        desk.decide("one", 1, ReviewAnswer("wrong"), None)
        desk.decide("one", 0, ReviewAnswer("unsure"), "accept")
        desk.decide("two", 3, ReviewAnswer("right"), None)
        assert desk.marks("one") == "uw...."
        assert (desk.undo("one"), desk.marks("one")) == (0, "rw....")
        assert (desk.undo("one"), desk.marks("one")) == (1, "r.....")
        assert (desk.undo("one"), desk.marks("one")) == (0, "......")
        with pytest.raises(RefusedAnswer, match="nothing left to undo"):
            desk.undo("one")
        assert [row["reviewer"] for row in list_decisions(tmp_path, None)] == ["two"]

    def test_two_pages_do_not_overwrite_each_other(
        self, links: list[QueueRow], tmp_path: Folder
    ) -> None:
        one, other = ReviewDesk(links, tmp_path, None), ReviewDesk(links, tmp_path, None)
        one.decide("one", 0, ReviewAnswer("right"), None)
        with pytest.raises(Changed, match="on a different page"):
            other.decide("one", 0, ReviewAnswer("wrong"), None)
        other.decide("one", 0, ReviewAnswer("wrong"), "accept")
        with pytest.raises(Changed, match="was changed elsewhere"):
            one.undo("one")
        assert one.marks("one") == "w....."

    def test_a_decision_holds_while_the_row_says_the_same(
        self, links: list[QueueRow], tmp_path: Folder
    ) -> None:
        ReviewDesk(links, tmp_path, None).decide("one", 2, ReviewAnswer("right"), None)
        surer = QueueRow("links", {**links[2].row, "margin": 90, "why": "better"}, (1,))
        other = QueueRow("links", {**links[2].row, "poi_id": TEMPLE}, (1,))
        assert ReviewDesk([surer], tmp_path, None).marks("one") == "r"
        assert ReviewDesk([other], tmp_path, None).marks("one") == "."

    def test_decisions_on_other_rows_are_kept(
        self, links: list[QueueRow], tmp_path: Folder
    ) -> None:
        elsewhere = {
            **decided(links[0], "x", "accept", TODAY),
            "decision_id": "r_x",
            "city_id": "gn1",
        }
        store_decisions(tmp_path, None, [elsewhere])
        desk = ReviewDesk(links, tmp_path, None)
        desk.decide("one", 0, ReviewAnswer("right"), None)
        desk.undo("one")
        assert list_decisions(tmp_path, None) == [elsewhere]

    def test_a_withdrawn_decision_was_never_made(
        self, links: list[QueueRow], tmp_path: Folder
    ) -> None:
        row = decided(links[0], "one", "accept", TODAY)
        store_decisions(tmp_path, None, [row])
        assert put_decision(tmp_path, None, "r_never", None) == [row]
        assert put_decision(tmp_path, None, row["decision_id"], None) == []
        assert list_decisions(tmp_path, None) == []


class TestAgreement:
    def make_desk(
        self, links: list[QueueRow], store: Path, one: Sequence[str], two: Sequence[str]
    ) -> ReviewDesk:
        words = {
            "r": ReviewAnswer("right"),
            "w": ReviewAnswer("wrong"),
            "u": ReviewAnswer("unsure"),
            "s": ReviewAnswer("same_as", TEMPLE),
            "l": ReviewAnswer("same_as", LAKE),
        }
        desk = ReviewDesk(links, store, None)
        for reader, said in (("one", one), ("two", two)):
            for number, letter in enumerate(said):
                if letter != ".":
                    desk.decide(reader, number, words[letter], None)
        return desk

    def test_kappa_by_hand(self, links: list[QueueRow], tmp_path: Folder) -> None:
        desk = self.make_desk(links, tmp_path, "rrwwr.", "rwwrr.")
        # 3 of 5 alike. one: 3 r, 2 w; two: 3 r, 2 w; by chance (9 + 4) / 25.
        (found,) = desk.agreement("one")
        assert (found["reader"], found["rows"], found["share"]) == ("two", 5, 0.6)
        assert found["kappa"] == pytest.approx((0.6 - 13 / 25) / (1 - 13 / 25))
        assert desk.agreement("two")[0]["kappa"] == found["kappa"]

    def test_other_places_are_other_answers(self, links: list[QueueRow], tmp_path: Folder) -> None:
        (found,) = self.make_desk(links, tmp_path, "ssw", "slw").agreement("one")
        assert (found["rows"], found["share"]) == (3, pytest.approx(2 / 3))

    def test_open_rows_tell_nothing(self, links: list[QueueRow], tmp_path: Folder) -> None:
        (found,) = self.make_desk(links, tmp_path, "rr....", "..wwww").agreement("one")
        assert found == {"reader": "two", "rows": 0, "decided": 4, "share": None, "kappa": None}

    def test_where_all_are_alike_kappa_is_none(
        self, links: list[QueueRow], tmp_path: Folder
    ) -> None:
        (found,) = self.make_desk(links, tmp_path, "rrr", "rrr").agreement("one")
        assert (found["share"], found["kappa"]) == (1.0, None)


class TestForms:
    def test_a_spreadsheet_says_what_should_stand_there(
        self, links: list[QueueRow], tmp_path: Folder
    ) -> None:
        cells = {"reviewer": "one", "decision": "reject", "decided_on": "2026-03-01"}
        rows = [{**links[0].about, **cells, "instead": LAKE}, {**links[1].about, **cells}]
        forms.write_csv(rows, tmp_path / "a.csv")
        assert [label_of(row) for row in read_decisions(tmp_path / "a.csv")] == [
            f"reject/{LAKE}",
            "reject",
        ]

    def test_a_spreadsheet_without_the_column_is_read(
        self, links: list[QueueRow], tmp_path: Folder
    ) -> None:
        head = "city_id,table,row_id,fact_hash,reviewer,decision,reason,decided_on"
        row = ",".join([*links[0].about.values(), "one", "accept", "", "2026-03-01"])
        (tmp_path / "a.csv").write_text(f"{head}\n{row}\n", encoding="utf-8")
        assert read_decisions(tmp_path / "a.csv") == [decided(links[0], "one", "accept", TODAY)]

    @pytest.mark.parametrize(
        ("decision", "instead"), [("accept", LAKE), ("reject", "the lake"), ("unsure", ELSEWHERE)]
    )
    def test_what_cannot_stand_there_is_named(
        self, links: list[QueueRow], tmp_path: Folder, decision: str, instead: str
    ) -> None:
        cells = {"reviewer": "one", "decision": decision, "decided_on": "2026-03-01"}
        forms.write_csv([{**links[0].about, **cells, "instead": instead}], tmp_path / "a.csv")
        with pytest.raises(SettingsError, match="row 1: `instead` is"):
            read_decisions(tmp_path / "a.csv")

    def test_a_store_reads_the_file_of_another_one(
        self, links: list[QueueRow], tmp_path: Folder
    ) -> None:
        given = [
            decided(links[0], "one", "reject", TODAY, ELSEWHERE),
            decided(links[1], "two", "accept", TODAY),
        ]
        store_decisions(tmp_path, None, given)
        assert sorted(map(json.dumps, read_decisions(tmp_path / DECISIONS_FILE))) == sorted(
            map(json.dumps, given)
        )
        (tmp_path / "b.jsonl").write_text('{"city_id": "c"}\n', encoding="utf-8")
        with pytest.raises(SettingsError, match="line 1 is not a decision"):
            read_decisions(tmp_path / "b.jsonl")

    def test_a_published_decision_says_it_in_words(self, links: list[QueueRow]) -> None:
        rows = [
            decided(links[0], "one", "reject", TODAY, instead) for instead in (LAKE, ELSEWHERE, "")
        ]
        assert [row["reason"] for row in forms.date_decisions(rows)] == [
            f"same as {LAKE}",
            "not here",
            "",
        ]
