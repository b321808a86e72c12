"""Samples as readers fill them in: read back, scored, and refused where something is amiss."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from flows.errors import SettingsError
from flows.review.samples.claims import Claim
from flows.review.samples.draw import figures_differ, in_turn
from flows.review.samples.files import hide_id, key_of, read_reading, write_rows
from flows.review.samples.score import agreement, score_of, share_of
from tests.support.flows.running import run

#: Nine rows of two cities, of which three are planted.
SAMPLE, PLANTED = "s0123456789ab/poi_facts/9/0123456789abcdef", (2, 5, 8)
CAREFUL = ("right", "wrong", "right", "right", "wrong", "wrong", "right", "unsure", "unsure")
Rows = list[dict[str, Any]]


def rows_of(verdicts: Sequence[str], reader: str = "", sample: str = SAMPLE) -> Rows:
    """The rows of the sample with these verdicts, in order."""
    return [
        {
            "number": n, "claim": f"=claim {n}", "passage": "-a\nb", "place": "p", "document": "d",
            "verdict": verdict, "remark": "", "reader": reader,
            "city": "Porto" if n < 6 else "Suzhou", "row_id": hide_id(f"fact/{n}"),
            "sample": sample, "key": key_of(sample, n, n in PLANTED),
        }
        for n, verdict in enumerate(verdicts, 1)
    ]  # fmt: skip


def written(path: Path, verdicts: Sequence[str], reader: str = "") -> Path:
    write_rows(rows_of(verdicts, reader), path)
    return path


class TestShares:
    def test_wilson_by_hand(self) -> None:
        share = share_of(["right"] * 8 + ["wrong"] * 2 + ["unsure"] * 5)
        assert (share.right, share.wrong, share.unsure, share.share) == (8, 2, 5, 0.8)
        # (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n) with z = 1.96, n = 10
        assert (share.low, share.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)

    def test_nothing_decided_is_no_share(self) -> None:
        assert share_of(["unsure"]).share is None

    def test_fleiss_by_hand(self) -> None:
        # Fourteen raters, ten subjects, five categories: the worked example of most textbooks.
        counts = (
            (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
            (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
        )  # fmt: skip
        rows = [[str(k) for k, n in enumerate(row) for _ in range(n)] for row in counts]
        found = agreement(rows)
        assert found is not None
        assert found.kappa == pytest.approx(0.210, abs=5e-4)

    def test_two_readers_have_cohens_kappa(self) -> None:
        both = (
            [("right", "right")] * 4
            + [("wrong", "wrong")] * 3
            + [("right", "wrong")] * 2
            + [("wrong", "right")]
        )
        found = agreement(both)
        assert found is not None
        assert (found.method, found.rows, found.observed) == ("cohen", 10, 0.7)
        assert found.kappa == pytest.approx(0.4)

    def test_where_all_verdicts_are_alike_chance_explains_it(self) -> None:
        for readers in (2, 3):
            found = agreement([("right",) * readers] * 9)
            assert found is not None
            assert (found.observed, found.kappa) == (1, None)

    def test_one_reader_agrees_with_nobody(self) -> None:
        assert agreement([("right",)]) is None
        assert agreement([]) is None


class TestReading:
    @pytest.mark.parametrize("name", ["anna.csv", "anna.jsonl"])
    def test_a_file_comes_back_as_it_was_judged(self, tmp_path: Path, name: str) -> None:
        found = read_reading(written(tmp_path / name, CAREFUL))
        assert (found.reader, found.sample) == ("anna", SAMPLE)
        assert [row.verdict for row in found.rows] == list(CAREFUL)
        assert tuple(row.number for row in found.rows if row.planted) == PLANTED
        assert found.rows[0].row_id == "fact/1"

    def test_a_spreadsheet_runs_no_cell(self, tmp_path: Path) -> None:
        path = written(tmp_path / "a.csv", CAREFUL)
        with path.open(encoding="utf-8-sig", newline="") as handle:
            row = next(csv.DictReader(handle))
        assert (row["claim"], row["passage"]) == ("'=claim 1", "'-a\nb")

    def test_rows_may_be_sorted_and_verdicts_written_large(self, tmp_path: Path) -> None:
        rows = [{**row, "verdict": f" {row['verdict'].upper()} "} for row in rows_of(CAREFUL)]
        write_rows(rows[::-1], tmp_path / "a.csv")
        assert [row.verdict for row in read_reading(tmp_path / "a.csv").rows] == list(CAREFUL)

    def test_the_column_names_the_reader(self, tmp_path: Path) -> None:
        assert read_reading(written(tmp_path / "x.csv", CAREFUL, "two")).reader == "two"

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (
                {"verdict": "yes"},
                "row 4: 'yes' is not a verdict; use one of right, wrong, unsure",
            ),
            ({"verdict": ""}, "row 4: the verdict is missing; use one of"),
            ({"key": "k0"}, "row 4: the value of number, row_id, sample or key was changed"),
            ({"row_id": "?"}, "row 4: the value of number, row_id, sample or key was changed"),
            ({"sample": "other"}, "the column sample has more than one value"),
            ({"number": 3, "key": key_of(SAMPLE, 3, False)}, "row 3 appears twice"),
        ],
        ids=["unknown", "empty", "key", "row-id", "two-samples", "twice"],
    )
    def test_bad_rows_are_named(
        self, tmp_path: Path, change: Mapping[str, Any], message: str
    ) -> None:
        rows = rows_of(CAREFUL)
        rows[3].update(change)
        write_rows(rows, tmp_path / "a.csv")
        with pytest.raises(SettingsError, match=message):
            read_reading(tmp_path / "a.csv")

    def test_missing_rows_are_counted(self, tmp_path: Path) -> None:
        write_rows(rows_of(CAREFUL)[2:], tmp_path / "a.jsonl")
        with pytest.raises(SettingsError, match=r"2 rows are missing \(1, 2\)"):
            read_reading(tmp_path / "a.jsonl")

    @pytest.mark.parametrize(
        ("name", "text", "message"),
        [
            ("a.txt", "", r"the name of a sample file must end in \.csv or \.jsonl"),
            ("a.csv", "name;verdict\n1;right\n", "is not a sample: the column number is missing"),
            ("a.jsonl", '{"number": 1}\n', "is not a sample: the column claim is missing"),
            ("a.jsonl", "[1]\n", "line 1: not a JSON object"),
            ("a.jsonl", "\n", "has no rows"),
        ],
    )
    def test_other_files_are_refused(
        self, tmp_path: Path, name: str, text: str, message: str
    ) -> None:
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(SettingsError, match=message):
            read_reading(tmp_path / name)


class TestScore:
    def test_shares_leave_planted_rows_out(self, tmp_path: Path) -> None:
        found = score_of([read_reading(written(tmp_path / "a.csv", CAREFUL))])
        together = found["together"]
        assert together["all"] | {"low": 0, "high": 0} == {
            "right": 4, "wrong": 1, "unsure": 1, "share": 0.8, "low": 0, "high": 0,
        }  # fmt: skip
        assert {city: share["right"] for city, share in together["cities"].items()} == {
            "Porto": 3,
            "Suzhou": 1,
        }
        assert found["agreement"] is None
        assert [row["row_id"] for row in found["wrong"]] == ["fact/6"]

    @pytest.mark.parametrize(("missed", "void"), [(1, False), (2, True), (3, True)])
    def test_a_careless_reader_is_void(self, tmp_path: Path, missed: int, void: bool) -> None:
        verdicts = list(CAREFUL)
        for number in PLANTED:
            verdicts[number - 1] = "right" if number in PLANTED[:missed] else "wrong"
        found = score_of([read_reading(written(tmp_path / "a.csv", verdicts))])
        (reader,) = found["readers"]
        assert (reader["void"], reader["planted_called_right"]) == (void, missed)
        assert (found["together"] is None) == void

    def test_readers_settle_what_more_of_them_say(self, tmp_path: Path) -> None:
        other = ("wrong", "wrong", "right", "right", "wrong", "right", "right", "wrong", "unsure")
        third = ("wrong", "wrong", "right", "right", "wrong", "unsure", "right", "wrong", "unsure")
        found = score_of([
            read_reading(written(tmp_path / f"{name}.csv", verdicts))
            for name, verdicts in (("a", CAREFUL), ("b", other), ("c", third))
        ])  # fmt: skip
        assert found["agreement"]["method"] == "fleiss"
        assert [row["number"] for row in found["differing"]] == [1, 6]
        assert found["differing"][0]["verdicts"] == {"a": "right", "b": "wrong", "c": "wrong"}
        assert [row["number"] for row in found["wrong"]] == [1]
        counted = found["together"]["all"]
        assert (counted["right"], counted["wrong"], counted["unsure"]) == (3, 2, 1)
        assert found["together"]["disputed"] == 1

    def test_a_disputed_row_counts_as_wrong(self, tmp_path: Path) -> None:
        other = ("wrong", "wrong", "unsure", "right", "wrong", "wrong", "right", "wrong", "unsure")
        found = score_of([
            read_reading(written(tmp_path / f"{name}.csv", verdicts))
            for name, verdicts in (("a", CAREFUL), ("b", other))
        ])  # fmt: skip
        together = found["together"]
        assert (together["disputed"], together["all"]["right"]) == (1, 3)
        assert (together["all"]["wrong"], together["all"]["unsure"]) == (2, 1)
        assert [row["number"] for row in found["differing"]] == [1, 3]
        assert [row["number"] for row in found["wrong"]] == [6]

    def test_the_void_are_left_out_of_all(self, tmp_path: Path) -> None:
        files = [
            written(tmp_path / "anna.csv", CAREFUL),
            written(tmp_path / "bo.jsonl", CAREFUL),
            written(tmp_path / "all.csv", ["right"] * 9),
        ]
        told = run("review", "score", *files)
        assert told.code == 0
        assert "all: left out, because the reviewer marked 3 of 3 planted rows as right" in told.out
        assert "anna: 80.0% right (37.6% to 96.4%): 4 right, 1 wrong, 1 unsure" in told.out
        assert (
            "agreement between 2 reviewers on 6 rows: 100% of the pairs of verdicts agree, "
            "Cohen's kappa 1.00" in told.out
        )
        found = json.loads(run("review", "score", *files, "--json").out)
        assert [reader["void"] for reader in found["readers"]] == [False, False, True]
        assert found["together"]["all"]["right"] == 4

    def test_no_careful_reader_is_said(self, tmp_path: Path) -> None:
        told = run("review", "score", written(tmp_path / "a.csv", ["right"] * 9))
        assert (told.code, told.last_line) == (
            1,
            "the verdicts of all reviewers were left out: ask other people to review the sample",
        )

    def test_readings_of_other_samples_or_of_one_reader_are_refused(self, tmp_path: Path) -> None:
        one = written(tmp_path / "a.csv", CAREFUL)
        write_rows(rows_of(CAREFUL, sample=SAMPLE.replace("facts", "tags")), tmp_path / "b.csv")
        told = run("review", "score", one, tmp_path / "b.csv")
        assert (told.code, "belong to different samples" in told.err) == (2, True)
        told = run("review", "score", one, written(tmp_path / "a.jsonl", CAREFUL))
        assert (told.code, "two files name the same reviewer, 'a'" in told.err) == (2, True)


def test_every_beginning_is_as_even_by_city_as_can_be() -> None:
    sizes = {"a": 2, "b": 7, "c": 30}
    claims = [
        Claim("pois", f"{city}{n}", city, "", {"poi_id": f"{city}{n}"}, ())
        for city, size in sizes.items() for n in range(size)
    ]  # fmt: skip
    ordered = in_turn(claims, "seed")
    for n in (1, 3, 6, 12, 20, 39):
        taken = [sum(claim.city_id == city for claim in ordered[:n]) for city in sizes]
        full = [count for count, size in zip(taken, sizes.values(), strict=True) if count < size]
        assert sum(taken) == n
        assert max(full, default=0) - min(full, default=0) <= 1
        assert max(taken) <= max(full, default=30) + 1
    assert in_turn(claims[::-1], "seed") == ordered
    assert in_turn(claims, "other") != ordered


@pytest.mark.parametrize(
    ("field", "true", "other", "passage", "wrong"),
    [
        ("ticket_price", "60", "40", "adults 60 yuan", True),
        ("ticket_price", "60", "40", "60 yuan, from November 40", False),
        ("opening_hours", "08:30-17:00", "08:30-17:30", "open 8:30-17:00", True),
        ("opening_hours", "08:30-17:00", "09:00-17:00", "8:30-17:00, in winter 9:00-17:00", False),
        ("opening_hours", "08:30-17:00", "09:00-17:00", "winter 9 am to 5 pm", False),
        ("last_admission", "16:30", "17:00", "最晚16：30入园", True),
        ("duration_hours", "1-2", "3", "an hour or two", True),
        ("duration_hours", "1-2", "2-3", "an hour or two", False),
    ],
)
def test_another_value_is_wrong_unless_the_passage_tells_it(
    field: str, true: str, other: str, passage: str, wrong: bool
) -> None:
    claim = Claim("poi_facts", "f", "gn1", field, {"fact_field": field, "value": true}, ())
    assert figures_differ(claim, other, passage) == wrong
