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
from flows.review import forms
from flows.review.apply import apply
from flows.review.forms import read_decisions
from flows.review.store import stored_decisions
from schemas.arrow import frame
from tests.counterexamples import good
from tests.counterexamples.breaking import Case, put, write_case
from tests.counterexamples.good import A, fact_id
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
        assert f"title=limits%3A pois.rating::row {A.poi('lake')}: above 5 (value 9.0)" in text
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
    after = write_case(Case("x", put("pois", {"poi_id": A.poi("lake")}, rating=1.0)), base, tmp_path / "x")  # fmt: skip
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
    assert "breaks pois.stars: the column is gone" in text


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
        made = apply(frames, stored_decisions(store, None), A.city_id)
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
        changed = {**frames, "poi_facts": frames["poi_facts"].with_columns(value=frames["poi_facts"]["value"] + " ")}  # fmt: skip
        assert apply(changed, stored_decisions(store, None), A.city_id)["poi_facts"].height == frames["poi_facts"].height  # fmt: skip

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
        assert SEASON in set(apply(frames, stored_decisions(store, None), A.city_id)["poi_facts"]["fact_id"])  # fmt: skip

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
        assert (row["decision"], row["reviewer"], row["decided_on"]) == ("accept", "labelstudio-7", "2026-03-01")  # fmt: skip

    @pytest.mark.parametrize(
        ("cells", "message"),
        [
            ({"decision": "maybe"}, "'maybe' is none of"),
            ({"reviewer": ""}, "no reviewer"),
            ({"decided_on": "yesterday"}, "no day"),
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
