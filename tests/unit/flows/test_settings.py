"""Profiles and requests: wrong ones stop before anything is read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from flows.errors import SettingsError
from flows.pipeline.request import make_inputs
from flows.settings import page as settings_doc
from flows.settings.environment import VARIABLES
from flows.settings.profile import load_profile, profile_names
from schemas.cities import UnknownCityError
from tests.conftest import ROOT
from tests.support.flows.running import run


@pytest.mark.parametrize("name", profile_names())
def test_every_bundled_profile_loads(name: str) -> None:
    assert load_profile(name).name == name


def test_the_demo_asks_for_the_published_standard() -> None:
    demo = load_profile("demo")
    assert (demo.trajectories.per_query, demo.candidates.per_query) == (8, 30)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: x\ntrajectorys: {}", "did you mean trajectories"),
        ("name: x\ntrajectories: {per_query: many}", r"trajectories.per_query.*integer"),
        ("name: x\ncandidates: {per_query: -1}", "greater than or equal to 0"),
        ("name: [x", "not YAML"),
        ("description: no name", "name: Field required"),
    ],
)
def test_a_bad_profile_says_which_key(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "p.yaml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=message):
        load_profile(str(file))


def test_an_unknown_profile_lists_the_known() -> None:
    with pytest.raises(SettingsError, match=r"demo.*folder"):
        load_profile("nothing")


class TestRequests:
    def test_cities_are_found_sorted_and_once(self, tmp_path: Path) -> None:
        inputs = make_inputs(["武汉", "beijing", "Wuhan"], [tmp_path])
        assert [city.slug for city in inputs.cities] == ["beijing", "wuhan"]

    def test_no_documents_where_the_profile_needs_them(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match="--documents"):
            make_inputs(["武汉"], tables=tmp_path)

    def test_tables_alone_are_enough_for_the_tables_profile(self, tmp_path: Path) -> None:
        assert make_inputs(["武汉"], tables=tmp_path, profile="tables").tables == tmp_path

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"engine": "magic"}, "no engine"),
            ({"tables_format": "xls"}, "no tables format"),
            ({"tables": "/nowhere/at/all"}, "no folder of tables"),
        ],
    )
    def test_wrong_options(self, tmp_path: Path, arguments: dict[str, str], message: str) -> None:
        with pytest.raises(SettingsError, match=message):
            make_inputs(["武汉"], [tmp_path], **arguments)

    def test_an_unknown_city(self, tmp_path: Path) -> None:
        with pytest.raises(UnknownCityError, match="Wuhan"):
            make_inputs(["Wuhann"], [tmp_path])


class TestDocumentation:
    def test_the_page_is_in_step(self) -> None:
        assert settings_doc.PAGE.read_text(encoding="utf-8") == settings_doc.page(), "make docs"

    def test_every_key_is_explained(self) -> None:
        rows = re.findall(r"^\| `([^`]+)` \| (.*?) \|", settings_doc.page(), re.MULTILINE)
        assert len(rows) > 30
        assert [key for key, what in rows if not what.strip()] == []

    def test_every_variable_that_the_code_reads_is_listed(self) -> None:
        read = {
            name
            for room in ("flows", "sources", "extractors", "geocoding", "queries", "warehouse")
            for path in (ROOT / room).rglob("*.py")
            for name in re.findall(r"\"((?:TRIPBED|OPENAI)_[A-Z_]+)\"", path.read_text("utf-8"))
        }
        assert read - {variable.name for variable in VARIABLES} == set()


class TestConfigShow:
    def test_secrets_are_hidden(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for variable in VARIABLES:
            monkeypatch.setenv(variable.name, "pa55word" if variable.secret else "plain")
        for more in ([], ["--json"]):
            outcome = run("config", "show", "--profile", "demo", *more)
            assert outcome.code == 0
            assert "pa55word" not in outcome.out + outcome.err
            assert "plain" in outcome.out
            assert "set, not shown" in outcome.out

    def test_the_profile_is_whole(self) -> None:
        facts = json.loads(run("config", "show", "--profile", "demo", "--json").out)
        assert facts["profile"] == load_profile("demo").model_dump(mode="json")
        assert facts["environment"].keys() == {variable.name for variable in VARIABLES}
