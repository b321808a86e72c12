"""Profiles and requests: wrong ones stop before anything is read."""

from __future__ import annotations

import ast
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from flows.errors import SettingsError
from flows.pipeline.request import make_inputs
from flows.settings import page as settings_doc
from flows.settings.environment import Settings, load_settings, variable_of
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
    def test_wrong_options(self, tmp_path: Path, arguments: dict[str, Any], message: str) -> None:
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

    @pytest.mark.slow
    def test_nothing_else_reads_or_writes_the_environment(self) -> None:
        found = []
        rooms = ("schemas", "queries", "sources", "extractors", "geocoding", "warehouse",
                 "validators", "flows")  # fmt: skip
        for path in (path for room in rooms for path in (ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
                if name in ("environ", "environb", "getenv", "putenv", "BaseSettings"):
                    found.append(path.relative_to(ROOT).as_posix())
        assert set(found) == {"flows/settings/environment.py"}


class TestSettings:
    def test_all_that_is_wrong_is_named_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TRIPBED_DELAY_S", "soon")
        monkeypatch.setenv("TRIPBED_BUDGET_TOKENS", "-1")
        with pytest.raises(SettingsError, match=r"TRIPBED_BUDGET_TOKENS: .*; TRIPBED_DELAY_S: "):
            load_settings()

    def test_an_empty_variable_is_not_set(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TRIPBED_PRICE_IN", "")
        assert load_settings().price_in is None

    def test_a_budget_given_for_one_run_holds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TRIPBED_BUDGET_USD", "5")
        monkeypatch.setenv("TRIPBED_BUDGET_TOKENS", "7")
        settings = load_settings().with_budget(0.1, None)
        assert (settings.budget_usd, settings.budget_tokens) == (Decimal("0.1"), 7)

    def test_no_secret_is_printed(self) -> None:
        settings = Settings.unset(openai_api_key=SecretStr("pa55word"))
        assert "pa55word" not in repr(settings) + str(settings) + str(settings.show())


class TestConfigShow:
    def test_secrets_are_hidden(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, field in Settings.model_fields.items():
            is_secret = "SecretStr" in str(field.annotation)
            is_text = is_secret or "str" in str(field.annotation)
            value = "pa55word" if is_secret else "plain" if is_text else "1"
            if name.endswith("_url"):
                value = f"http://{value}"
            value = {"dask": "2", "storage": "s3://plain", "ca_file": __file__}.get(name, value)
            monkeypatch.setenv(variable_of(name), value)
        for more in ([], ["--json"]):
            outcome = run("config", "show", "--profile", "demo", *more)
            assert outcome.code == 0
            assert "pa55word" not in outcome.out + outcome.err
            assert "plain" in outcome.out
            assert "set, not shown" in outcome.out

    def test_the_profile_is_whole(self) -> None:
        facts = json.loads(run("config", "show", "--profile", "demo", "--json").out)
        assert facts["profile"] == load_profile("demo").model_dump(mode="json")
        assert facts["environment"].keys() == {variable_of(name) for name in Settings.model_fields}
