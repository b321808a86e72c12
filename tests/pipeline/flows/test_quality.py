"""The commands that check, compare and review, as a user calls them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from flows.cli.app import app
from flows.errors import SettingsError
from flows.publishing import publish
from flows.review import forms
from flows.review.apply import apply
from flows.review.forms import read_decisions
from flows.review.store import list_decisions
from schemas.arrow import frame
from schemas.tables import SCHEMA_VERSION
from tests.counterexamples import good
from tests.counterexamples.breaking import Case, put, write_case
from tests.counterexamples.good import A, fact_id
from tests.support.flows.running import run
from tests.support.warehouse.older import made_up, stamp
from tests.support.warehouse.publishing import BAD, GOOD, publish_book
from validators.gates import context_tags
from validators.gates.base import Gate
from validators.validate import validate

SEASON = fact_id(A, "park", "season")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "good"
    path.mkdir()
    good.write(path, good.book())
    return path


def call(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return done.exit_code, done.stdout


class TestValidate:
    def test_formats(self, base: Path, tmp_path: Path) -> None:
        assert call("validate", base)[0] == 0
        case = Case("x", put("pois", {"poi_id": A.poi("lake")}, rating=9.0))
        broken = write_case(case, base, tmp_path / "broken")
        code, text = call("validate", broken, "--format", "github")
        assert code == 1
        assert text.startswith("::error file=")
        assert (
            f"title=limits%3A pois.rating::row {A.poi('lake')}: the value is above 5 (value 9.0)"
            in text
        )
        code, text = call("validate", broken, "--format", "json")
        assert (code, json.loads(text)["failures"][0]["gate_id"]) == (1, "limits")

    def test_what_is_quoted_starts_no_command_of_the_workflow(
        self, base: Path, tmp_path: Path
    ) -> None:
        title = "a@b.example\n::add-mask::x"
        case = Case("x", put("documents", {"path": "notes/copy.md"}, title=title))
        _, text = call("validate", write_case(case, base, tmp_path / "x"), "--format", "github")
        assert sum(line.startswith("::") for line in text.splitlines()) == 1
        assert "%0A::add-mask" in text

    def test_drift_against_an_earlier_one(self, base: Path) -> None:
        assert call("validate", base, "--against", base)[0] == 0


def test_verify(base: Path, tmp_path: Path) -> None:
    assert call("verify", base)[0] == 0
    broken = write_case(Case("x", put("pois", {}, rating=1.0)), base, tmp_path / "broken")
    file = next((broken / "data" / "hotels").rglob("*.parquet"))
    file.unlink()
    code, text = call("verify", broken, "--json")
    assert code == 1
    assert json.loads(text)["faults"][0]["fault"] == "the file is missing"


def test_diff_fails_from_a_severity_on(base: Path, tmp_path: Path) -> None:
    after = write_case(
        Case("x", put("pois", {"poi_id": A.poi("lake")}, rating=4.4)), base, tmp_path / "x"
    )
    assert call("diff", base, after)[0] == 0
    assert call("diff", base, after, "--fail-on", "warning")[0] == 0
    code, text = call("diff", base, after, "--fail-on", "notice", "--json")
    assert (code, json.loads(text)["severity"]) == (1, "notice")


def test_the_schema_goes_out_and_fits_itself(tmp_path: Path) -> None:
    assert call("schema", "export", "--out", tmp_path / "s.json")[0] == 0
    assert call("schema", "check", tmp_path / "s.json")[0] == 0
    old = json.loads((tmp_path / "s.json").read_text())
    old["tables"]["pois"]["properties"]["stars"] = {"type": "integer"}
    (tmp_path / "s.json").write_text(json.dumps(old))
    code, text = call("schema", "check", tmp_path / "s.json")
    assert code == 1
    assert "incompatible: pois.stars: the column was removed" in text


class TestOlderVersions:
    """What the commands say of a snapshot of 1.5, and of one of a version made up."""

    @pytest.fixture(scope="class")
    def old(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        path = publish_book(tmp_path_factory.mktemp("store")).path
        stamp(path, "1.5")
        return path

    def test_it_is_validated_verified_and_compared(self, old: Path, base: Path) -> None:
        code, text = call("validate", old, "--json")
        facts = json.loads(text)
        assert (code, facts["passed"], facts["failures"]) == (0, True, [])
        of_tags = {gate.id for gate in context_tags.GATES}
        not_asked = {one["gate_id"] for one in facts["not_asked"]}
        assert not_asked == {
            "location_tier", "link_once", "candidates", "witness_plans", "witness_shape",
            "metro_fares", "conditions", *of_tags,
        }  # fmt: skip
        assert call("verify", old)[0] == 0
        code, text = call("diff", old, base)
        assert code == 0
        assert (
            f"schema 1.5 -> {SCHEMA_VERSION}: each snapshot is read with the table definitions"
            in text
        )
        facts = json.loads(call("diff", base, old, "--json")[1])
        assert (facts["schema_before"], facts["schema_after"]) == (SCHEMA_VERSION, "1.5")

    def test_drift_is_not_asked_across_versions(self, old: Path, base: Path) -> None:
        code, text = call("validate", base, "--against", old)
        assert code == 0
        assert f"skipped drift_rows: schema 1.5 cannot be compared with {SCHEMA_VERSION}" in text
        assert text.splitlines()[-1].endswith("0 failed, 0 warnings, 7 skipped")
        assert "cannot be compared" not in call("validate", old, "--against", old)[1]

    def test_a_gate_without_its_columns_is_said_to_be_not_asked(self, tmp_path: Path) -> None:
        """It neither passes nor fails; a column that no version has still fails."""

        def without_grades(held: Any) -> None:
            columns = held["tables"]["pois"]["columns"]
            held["tables"]["pois"]["columns"] = columns.replace(" grade?", "")

        (tmp_path / "versions").mkdir()
        with made_up("1.9", tmp_path / "versions", without_grades):
            old = publish_book(tmp_path / "store").path
            stamp(old, "1.9")
            facts = json.loads(call("validate", old, "--json")[1])
            (line,) = [
                line for line in call("validate", old)[1].splitlines() if "skipped origins" in line
            ]
            assert line == "skipped origins: schema 1.9 has no column grade"
            strange = Gate("strange", lambda context: context.table("pois").select("x"), "", "")
            (result,) = validate(old, [strange]).results
        assert facts["passed"]
        reasons = {gate["gate_id"]: gate["reason"] for gate in facts["not_asked"]}
        assert reasons["origins"] == "schema 1.9 has no column grade"
        assert reasons.keys() & {gate["gate_id"] for gate in facts["gates"]} == set()
        assert (result.passed, "cannot be checked" in result.message) == (False, True)

    def test_what_cannot_be_migrated(self, old: Path, base: Path, tmp_path: Path) -> None:
        for wrong, new, words in (
            (base, tmp_path / "new", f"already has schema version {SCHEMA_VERSION}"),
            (tmp_path / "nothing", tmp_path / "new", "is not a snapshot"),
            (old, tmp_path, "already exists: choose a new folder with --out"),
            (old, old / "new", "which must not change: choose a different --out"),
        ):
            outcome = run("schema", "migrate", wrong, "--out", new, "--json")
            assert (outcome.code, words in json.loads(outcome.out)["error"]) == (2, True)

    def test_an_account_is_printed(
        self, old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Without Great Expectations and the report, which the test of a store has."""
        monkeypatch.setattr(publish, "ask_gates", lambda candidate: [GOOD])
        monkeypatch.setattr(publish, "write_pages", lambda candidate: None)
        code, text = call("schema", "migrate", old, "--out", tmp_path / "new", "--json")
        facts = json.loads(text)
        assert (code, facts["passed"]) == (0, True)
        added = {
            "context_tags", "links", "unlinked_names", "pois", "poi_mentions", "poi_popularity",
            "documents", "query_documents", "queries", "query_pois", "metro_stations",
            "metro_edges",
            "metro_fares", "conditional_facts",
        }  # fmt: skip
        assert {(loss["what"], loss["table"]) for loss in facts["losses"]} == {
            ("unknown", t) for t in added
        }
        assert facts["from"]["schema_version"] == "1.5"
        assert facts["rows_in"] == facts["rows_out"] > 0
        assert facts["snapshot"] == str(tmp_path / "new")
        monkeypatch.setattr(publish, "ask_gates", lambda candidate: [BAD])
        code, text = call("schema", "migrate", old, "--out", tmp_path / "other")
        assert code == 1
        assert text.splitlines()[-2:] == [
            "error gate files: a file is missing",
            "nothing was written: build the cities again",
        ]


class TestReview:
    def export(self, base: Path, target: Path) -> list[dict[str, str]]:
        assert call("review", "export", base, "--to", target, "--sample", 500)[0] == 0
        with target.open(encoding="utf-8-sig", newline="") as handle:
            return list(csv.DictReader(handle))

    def fill(self, rows: list[dict[str, str]], target: Path, **cells: str) -> Path:
        filled = {"reviewer": "one", "decision": "reject", "decided_on": "2026-03-01", **cells}
        made: list[dict[str, Any]] = [{**row, **filled} for row in rows]
        forms.write_csv(made, target)
        return target

    def test_a_rejected_fact_goes_and_stays_gone_until_it_changes(
        self, base: Path, tmp_path: Path
    ) -> None:
        tasks = self.export(base, tmp_path / "tasks.csv")
        mine = [row for row in tasks if row["row_id"] == SEASON]
        assert len(mine) == 1
        store = tmp_path / "store"
        store.mkdir()
        code, text = call("review", "import", self.fill(mine, tmp_path / "d.csv"), "--out", store)
        assert code == 0, text
        frames = {t: frame(t, parts.get(A.slug, [])) for t, parts in good.book().items()}
        made = apply(frames, list_decisions(store, None), A.city_id)
        assert SEASON not in set(made["poi_facts"]["fact_id"])
        assert made["quarantine"].filter(made["quarantine"]["check"] == "review").height == 1
        assert made["review_decisions"]["reviewer"].to_list() == ["one"]
        rows = good.book()
        for table in ("poi_facts", "quarantine", "stage_counts", "review_decisions"):
            rows[table][A.slug] = made[table].to_dicts()
        path = tmp_path / "made"
        path.mkdir()
        good.write(path, rows)
        failed = validate(path).failures
        # The span that only this fact stood on is reported as unused; the account is the stage's.
        assert set(failed["gate_id"]) <= {"evidence_used", "published_rows"}
        changed = {
            **frames,
            "poi_facts": frames["poi_facts"].with_columns(value=frames["poi_facts"]["value"] + " "),
        }
        assert (
            apply(changed, list_decisions(store, None), A.city_id)["poi_facts"].height
            == frames["poi_facts"].height
        )

    def test_two_reviewers_who_disagree_decide_nothing(self, base: Path, tmp_path: Path) -> None:
        mine = [r for r in self.export(base, tmp_path / "t.csv") if r["row_id"] == SEASON]
        store = tmp_path / "store"
        store.mkdir()
        call("review", "import", self.fill(mine, tmp_path / "1.csv"), "--out", store)
        other = self.fill(mine, tmp_path / "2.csv", reviewer="two", decision="accept")
        code, text = call("review", "import", other, "--out", store, "--json")
        assert code == 0
        assert json.loads(text)["agreement"] == {"one/two": {"rows": 1, "kappa": 0.0}}
        frames = {t: frame(t, parts.get(A.slug, [])) for t, parts in good.book().items()}
        assert SEASON in set(
            apply(frames, list_decisions(store, None), A.city_id)["poi_facts"]["fact_id"]
        )

    def test_label_studio_there_and_back(self, base: Path, tmp_path: Path) -> None:
        target = tmp_path / "tasks.json"
        assert call("review", "export", base, "--to", target, "--format", "labelstudio")[0] == 0
        tasks = json.loads(target.read_text(encoding="utf-8"))
        done = {
            "completed_by": 7, "created_at": "2026-03-01T10:00:00Z",
            "result": [{"from_name": "decision", "value": {"choices": ["accept"]}}],
        }  # fmt: skip
        target.write_text(json.dumps([{**tasks[0], "annotations": [done]}, *tasks[1:]]))
        (row,) = read_decisions(target)
        assert (row["decision"], row["reviewer"], row["decided_on"]) == (
            "accept",
            "labelstudio-7",
            "2026-03-01",
        )

    @pytest.mark.parametrize(
        ("cells", "message"),
        [
            ({"decision": "maybe"}, "'maybe' is not one of"),
            ({"reviewer": ""}, "the reviewer's name is missing"),
            ({"decided_on": "yesterday"}, "decided_on is not a date like 2026-03-01"),
            ({"table": "inns"}, "no table"),
        ],
    )
    def test_a_wrong_cell_is_named_with_its_row(
        self, base: Path, tmp_path: Path, cells: dict[str, str], message: str
    ) -> None:
        tasks = self.export(base, tmp_path / "t.csv")[:1]
        with pytest.raises(SettingsError, match=message):
            read_decisions(self.fill(tasks, tmp_path / "d.csv", **cells))

    def test_a_formula_is_no_formula(self, tmp_path: Path) -> None:
        forms.write_csv([{"name": "=HYPERLINK(1)"}], tmp_path / "x.csv")
        assert "'=HYPERLINK(1)" in (tmp_path / "x.csv").read_text(encoding="utf-8-sig")
