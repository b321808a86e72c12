"""The page as text: self-contained, hostile texts inert, every word in both languages."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib import resources
from pathlib import Path

from flows.report.figures import KNOWN
from flows.report.render import collect, render_report, write_report
from schemas.tables import TABLES
from schemas.taxonomy import CONSTRAINT_KINDS, FACT_FIELDS, QUERY_STATUSES, STAGES
from tests.support.flows.report.snapshots import IMAGE, SCRIPT, city_rows, write

ASSETS = resources.files("flows.report") / "assets"
STRINGS: dict[str, list[str]] = json.loads((ASSETS / "strings.json").read_text("utf-8"))
SCRIPTS = {
    entry.name: entry.read_text("utf-8") for entry in ASSETS.iterdir() if entry.name.endswith(".js")
}


def embedded(html: str, opening: str) -> str:
    body = html.split(opening)[1]
    return body[: body.index("</s")]


def test_two_renders_of_the_same_rows_are_the_same(snapshot: Path, tmp_path: Path) -> None:
    again = write(tmp_path, {slug: city_rows(slug) for slug in ("suzhou", "hangzhou")})
    once = write(tmp_path / "b", {slug: city_rows(slug) for slug in ("hangzhou", "suzhou")})
    assert render_report(again) == render_report(once)
    assert str(snapshot.parent) not in render_report(snapshot)


def test_hostile_texts_cannot_leave_the_data(page: Path) -> None:
    html = page.read_text("utf-8")
    assert IMAGE not in html
    assert SCRIPT not in html
    assert html.count("</script>") == html.count("<script") == 2
    assert html.count("<img") == 0


def test_the_data_are_read_back_whole(snapshot: Path, page: Path) -> None:
    data = json.loads(
        embedded(page.read_text("utf-8"), '<script type="application/json" id="data">')
    )
    assert data.pop("strings") == STRINGS
    assert data == json.loads(json.dumps(collect(snapshot)))
    assert IMAGE in {poi.get("name_zh") for poi in data["cities"][0]["pois"]}


def test_the_policy_allows_only_this_style_and_script(page: Path) -> None:
    html = page.read_text("utf-8")
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    assert found
    policy = found[1].replace("&#x27;", "'")
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for kind, opening in (("style", "<style>"), ("script", "<script>")):
        digest = hashlib.sha256(embedded(html, opening).encode()).digest()
        assert f"{kind}-src 'sha256-{base64.b64encode(digest).decode()}'" in policy


def test_nothing_is_loaded(page: Path) -> None:
    html = page.read_text("utf-8")
    addresses = set(re.findall(r"https?://[^\s'\"<)]+", html))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not re.search(
        r"\bsrc=|@import|url\(", html.replace(json.dumps(IMAGE)[1:-1], "").replace("src=x", "")
    )


def test_scripts_never_turn_text_into_markup() -> None:
    for name, script in SCRIPTS.items():
        for forbidden in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "Function(",
        ):
            assert forbidden not in script, f"{name} uses {forbidden}"


def test_every_text_has_both_languages() -> None:
    for key, pair in STRINGS.items():
        assert len(pair) == 2, key
        assert all(pair), key
        places = [sorted(re.findall(r"\{\w+\}", text)) for text in pair]
        assert places[0] == places[1], key


def test_every_text_that_a_script_names_exists() -> None:
    script = "\n".join(SCRIPTS.values())
    named = set(re.findall(r"\bt\('([^']+)'", script))
    assert named
    assert named <= set(STRINGS), sorted(named - set(STRINGS))
    starts = set(re.findall(r"\bt\(`([a-z.]+)\$\{", script))
    starts |= {f"{kind}." for kind in re.findall(r"\blabel\('([a-z]+)'", script)}
    for start in starts:
        assert any(key.startswith(start) for key in STRINGS), start
    starts |= {f"{kind}." for kind in re.findall(r"\bkinds\([\w.]+, '([a-z]+)'", script)}
    spare = {
        key
        for key in set(STRINGS) - named
        if not key.startswith((*starts, "lead.")) and f"'{key}'" not in script
    }
    assert not spare, sorted(spare)


def test_every_table_stage_and_fact_has_a_name() -> None:
    assert {f"table.{name}" for name in TABLES} <= set(STRINGS)
    assert {f"stage.{name}" for name in STAGES} <= set(STRINGS)
    fields = {*FACT_FIELDS, *(column for columns in KNOWN.values() for column in columns)}
    assert {f"field.{name}" for name in fields} <= set(STRINGS)
    assert {f"kind.{name}" for name in CONSTRAINT_KINDS} <= set(STRINGS)
    assert {f"status.{name}" for name in QUERY_STATUSES} <= set(STRINGS)


def test_a_page_of_ten_cities_stays_below_five_megabytes(tmp_path: Path) -> None:
    slugs = ("beijing", "chengdu", "chongqing", "guangzhou", "hangzhou",
             "nanjing", "shanghai", "shenzhen", "suzhou", "wuhan")  # fmt: skip
    tables = {}
    for slug in slugs:
        rows = city_rows(slug)
        lake, facts = rows["pois"][0], rows["poi_facts"]
        for at in range(497):
            poi = f"poi_{hashlib.sha256(f'{slug}{at}'.encode()).hexdigest()[:16]}"
            rows["pois"].append(
                {
                    **lake,
                    "poi_id": poi,
                    "name_zh": f"某某历史文化街区{at}",
                    "name_en": f"Historical and Cultural District No {at}",
                    "lat": lake["lat"] + at / 9973,
                    "lon": lake["lon"] + at / 7919,
                }
            )
            rows["poi_facts"] += [
                {**fact, "fact_id": f"{fact['fact_id']}{at}", "poi_id": poi} for fact in facts[:4]
            ]
            rows["poi_aliases"] += [
                {**rows["poi_aliases"][0], "poi_id": poi, "alias": f"某历史街区{at}{n}"}
                for n in range(3)
            ]
        stops = [
            {
                "day": 1 + n // 4,
                "order": 1 + n % 4,
                "poi_id": rows["pois"][n]["poi_id"],
                "name": "x",
            }
            for n in range(20)
        ]
        rows["trajectories"] += [
            {**rows["trajectories"][0], "trajectory_id": f"tr_{slug}_{n}", "clean_visits": stops}
            for n in range(99)
        ]
        tables[slug] = rows
    target = write_report(write(tmp_path, tables))
    assert 1_000_000 < target.stat().st_size < 5_000_000
