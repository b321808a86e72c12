"""No document vanishes: what became of each is told, whatever the cities and the readings."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from flows.documents.extract import extract_folder
from flows.settings.environment import NO_SETTINGS
from tests.support.flows import running
from tests.support.flows.builds import Built
from warehouse.given import read_given
from warehouse.manifest import read_manifest, verify

pytestmark = pytest.mark.usefixtures("without_data_docs")

#: Of another city; the first day's stops stand in no table.
ELSEWHERE = "# 南京两日游\n\n## 第一天\n\n南京的上午游览中山陵,下午参观南京博物院。\n"
KOREAN = "# 청석원\n\n청석원은 아침부터 열려 있습니다. 아주 아름다운 정원이 있습니다.\n"


def given_more(pages: Path) -> None:
    """Documents beside the two of the small city, each of which comes to something else."""
    (pages / "korean.md").write_text(KOREAN, encoding="utf-8")
    (pages / "elsewhere.md").write_text(ELSEWHERE, encoding="utf-8")
    (pages / "empty.md").write_text("", encoding="utf-8")
    (pages / "large.md").write_bytes(b"x" * 10_100_000)
    (pages / "nothing.md").write_text("今天天气很好。\n", encoding="utf-8")
    shutil.copy(pages / "spring.md", pages / "twice.md")


def own_readings(path: Path) -> Path:
    """A file with each kind of bad line, and a good line with pieces that are none."""
    lines: list[Any] = [
        {"doc": "autumn.md", "kind": "diary",
         "pois": [{"name": "Maple Bridge", "role": "visited"},
                  {"name": "East Lake Museum", "role": "visited"}, {"name": "x" * 3_000_000}],
         "trajectory": [{"day": 2, "visits": ["East Lake Museum"]}, {"day": 1, "visits": []}]},
        {"doc": "autumn.md", "pois": []},
        {"doc": "unknown.md", "pois": []},
        {"doc": "spring.md", "answer": "<html>"},
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)) + "\nno json\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, running.Outcome]:
    """A build of one city from nine documents and a file of readings."""
    folder = tmp_path_factory.mktemp("given")
    made = Built(folder)
    files = running.write_inputs(folder)
    given_more(files.documents)
    outcome = running.run(
        "build", *files.options(), *running.build_options(made.workspace, made.out),
        "--readings", own_readings(folder / "own.jsonl"),
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    return made, outcome


def by_path(snapshot: Path) -> dict[str, dict[str, Any]]:
    return {row["path"]: row for row in read_given(snapshot)["documents"].to_dicts()}


def test_every_document_is_accounted_for(built: tuple[Built, running.Outcome]) -> None:
    made, outcome = built
    rows = by_path(made.path)
    assert {path: (row["status"], row["reason"]) for path, row in rows.items()} == {
        "autumn.md": ("used", None), "spring.md": ("used", None),
        "elsewhere.md": ("waiting", "no_city"), "korean.md": ("set_aside", "language"),
        "empty.md": ("set_aside", "empty"), "large.md": ("set_aside", "too_large"),
        "nothing.md": ("set_aside", "nothing_read"), "twice.md": ("set_aside", "same_bytes"),
    }  # fmt: skip
    assert rows["twice.md"]["why"] == "same bytes as spring.md"
    assert "no rule reads" in rows["korean.md"]["why"]
    assert rows["korean.md"]["doc_id"] is not None
    assert (rows["korean.md"]["lang"], rows["korean.md"]["reader"]) == ("ko", None)
    assert rows["large.md"]["doc_id"] is None
    assert rows["spring.md"]["reader"] == "rules"
    assert rows["spring.md"]["cities"] == ["suzhou"]
    assert rows["spring.md"]["n_stops"] == 6
    assert (rows["autumn.md"]["reader"], rows["autumn.md"]["n_places"]) == ("own", 1)
    told = (
        "documents: 8 given, 2 used, 1 waiting (of no city of this build), 5 set aside (1 in "
        "Korean, 1 in which nothing was found, 1 same bytes, 1 too large, 1 without text); "
        "`tripbed inspect --documents` lists them"
    )
    assert told in outcome.out.splitlines()


def test_problems_of_readings_are_told_and_the_build_goes_on(
    built: tuple[Built, running.Outcome],
) -> None:
    made, outcome = built
    problems = read_given(made.path)["reading_problems"].to_dicts()
    assert [(row["line"], row["path"]) for row in problems if row["line"]] == [
        (2, None), (3, None), (4, None), (5, None)
    ]  # fmt: skip
    whys = " | ".join(f"{row['what']}: {row['why']}" for row in problems)
    for said in (
        "Maple Bridge",
        "is not in the text",
        "no document has this path",
        "is about the same document",
        "neither `pois` nor `places`",
        "not JSON",
        "`name` is wrong",
        "put the days in order",
    ):
        assert said in whys
    assert max(len(row["what"]) + len(row["why"]) for row in problems) < 1000
    assert (
        f"warning: {len(problems)} pieces or lines of the readings file were not used"
        in outcome.out
    )
    assert "line 3: unknown.md: no document has this path or id" in outcome.out


def test_the_account_is_part_of_the_manifest(built: tuple[Built, running.Outcome]) -> None:
    made, _ = built
    manifest = read_manifest(made.path)
    assert [entry.path for entry in manifest.quality] == [
        "quality/documents.parquet", "quality/reading_problems.parquet",
    ]  # fmt: skip
    assert list(verify(made.path, manifest)) == []
    assert running.run("validate", made.path).code == 0


def test_inspect_lists_them(built: tuple[Built, running.Outcome]) -> None:
    made, _ = built
    plain = running.run("inspect", "--documents", made.path)
    assert plain.code == 0
    assert "set_aside twice.md: same bytes as spring.md" in plain.out
    told = json.loads(running.run("inspect", "--documents", made.path, "--json").out)
    counts = told["counts"]
    assert counts["given"] == counts["used"] + counts["waiting"] + counts["set_aside"] == 8
    assert len(told["documents"]) == 8
    assert "same bytes as spring.md" in (made.path / "report.html").read_text(encoding="utf-8")


def test_another_city_and_a_copy_in_other_words(
    built: tuple[Built, running.Outcome], tmp_path: Path, without_extras: None
) -> None:
    """A one-off run keeps the rows of other cities' documents; the same journey is found twice."""
    made = Built(Path(shutil.copytree(built[0].folder, tmp_path / "again", symlinks=True)))
    other = tmp_path / "other"
    other.mkdir()
    (other / "nanjing.md").write_text(ELSEWHERE, encoding="utf-8")
    shutil.copy(made.inputs.documents / "spring.md", other / "known.md")
    before = by_path(made.path)
    outcome = running.run(
        "build", "--city", "nanjing", "--documents", other, "--profile", made.inputs.profile,
        *running.build_options(made.workspace, made.out),
    )  # fmt: skip
    assert "documents: 2 given" in outcome.out
    # Too few routes for a query there: the rows are those of the candidate, published or not.
    rows = by_path(Path(outcome.last_line))
    assert {path: row for path, row in rows.items() if path in before} == before
    assert rows["nanjing.md"]["built_for"] == ["nanjing"]
    assert set(rows) - set(before) == {"nanjing.md", "known.md"}


def test_a_plain_version_of_a_journey_counts_once(tmp_path: Path, without_extras: None) -> None:
    files = running.write_inputs(tmp_path)
    bare = (
        "<html><body><h1>苏州两日游</h1><h2>第一天</h2><p>去青石园。再去双桥古街。最后到云岩塔。</p>"
        "<h2>第二天</h2><p>游览湖东博物馆。之后游览听枫书院。然后游览柳浜码头。</p></body></html>"
    )
    (files.documents / "plain.html").write_text(bare, encoding="utf-8")
    made = Built(tmp_path)
    outcome = running.run(
        "build", *files.options(), *running.build_options(made.workspace, made.out), "--json"
    )
    told = json.loads(outcome.out)
    assert told["documents"]["used"] == 3
    row = by_path(Path(told["snapshot"]))["plain.html"]
    assert row["reason"] == "copy"
    assert row["why"] == "copy of spring.md, by its stops: its route counts once"


def test_extract_says_what_no_rule_reads(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "korean.md").write_text(KOREAN, encoding="utf-8")
    (tmp_path / "pages" / "spring.md").write_text(running.PAGES["spring.md"], encoding="utf-8")
    counts, messages = extract_folder(
        tmp_path / "pages", tmp_path / "out.jsonl", (), None, "tripbed", "rules", NO_SETTINGS,
        lambda _: None,
    )  # fmt: skip
    assert (counts["read"], counts["rejected"]) == (1, 1)
    (told,) = messages
    assert told.startswith("korean.md: in Korean, which no rule reads")
