"""What is checked before anything starts: schedules, addresses, settings."""

from __future__ import annotations

import pytest

from flows.errors import SettingsError
from flows.settings.checks import (
    TABLES_FORMATS,
    check_cron,
    check_model,
    check_settings,
    check_time_zone,
)
from flows.settings.environment import Settings, is_web_address, load_settings
from schemas.addresses import is_loopback
from sources.tables.registry import LAYOUTS
from tests.support.flows.running import run


def test_the_layouts_are_those_that_are_read() -> None:
    assert set(TABLES_FORMATS) == set(LAYOUTS)


class TestCron:
    """Five fields that come due."""

    @pytest.mark.parametrize(
        "expression",
        ["0 3 * * *", "*/5 0-6 1,15 jan-mar mon", "0 0 L * *", "0 0 29 2 *", "0 0 * * 5#2"],
    )
    def test_an_expression_is_taken(self, expression: str) -> None:
        assert check_cron(expression) == expression

    @pytest.mark.parametrize(
        "expression",
        ["", "nonsense", "61 3 * * *", "0 3 * *", "0 0 31 2 *", "@daily", "* * * * * *",
         "H H * * *", "0 0 LW * *", "0 0 * * 5L", "0 0 * * *; rm -rf", "٣ 3 * * x"],
    )  # fmt: skip
    def test_what_is_none_is_refused(self, expression: str) -> None:
        with pytest.raises(SettingsError, match="minute, hour, day, month and weekday"):
            check_cron(expression)

    @pytest.mark.parametrize("name", ["Asia/Shanghai", "UTC", "Europe/Lisbon"])
    def test_a_time_zone(self, name: str) -> None:
        assert check_time_zone(name) == name

    @pytest.mark.parametrize(
        ("name", "near"),
        [("Shanghai", "Asia/Shanghai"), ("Asia/Shangai", "Asia/Shanghai"), ("", "UTC"),
         ("/etc/passwd", "UTC"), ("../UTC", "UTC"), ("Asia", "Asia/"), ("\0", "UTC")],
    )  # fmt: skip
    def test_another_time_zone_is_answered_with_the_nearest(self, name: str, near: str) -> None:
        with pytest.raises(SettingsError, match=near):
            check_time_zone(name)


class TestAddresses:
    """Addresses of servers."""

    @pytest.mark.parametrize(
        "text", ["http://127.0.0.1:4200/api", "https://host", "http://[::1]:80/x"]
    )
    def test_an_address(self, text: str) -> None:
        assert is_web_address(text)

    @pytest.mark.parametrize(
        "text",
        [
            "nonsense",
            "htp:/x",
            "http://",
            "http://host:99999",
            "ftp://host",
            "http://[::1",
            "host:80",
        ],
    )
    def test_no_address(self, text: str) -> None:
        assert not is_web_address(text)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("PREFECT_API_URL", "nonsense"), ("OPENAI_BASE_URL", "htp:/x"),
            ("TRIPBED_SEARXNG_URL", "host:80"), ("TRIPBED_NOMINATIM_URL", "http://host:x"),
            ("TRIPBED_WEBHOOK_URL", "s3cret"), ("TRIPBED_DASK", "many"),
            ("TRIPBED_STORAGE", "bucket"), ("TRIPBED_CA_FILE", "/nowhere/ca.pem"),
            ("TRIPBED_BUDGET_USD", "-1"), ("TRIPBED_LLM_CONCURRENCY", "-7"),
        ],
    )  # fmt: skip
    def test_a_wrong_variable_is_named_without_its_value(
        self, name: str, value: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(name, value)
        with pytest.raises(SettingsError, match=name) as told:
            load_settings()
        assert value not in str(told.value).split()

    def test_this_machine(self) -> None:
        assert is_loopback("http://127.0.0.1:1/v1")
        assert is_loopback("http://localhost")
        assert not is_loopback("https://example.com")


class TestModel:
    """A model is named, and what it costs is known, before anything is read."""

    def test_no_model(self) -> None:
        with pytest.raises(SettingsError, match="OPENAI_MODEL is empty"):
            check_model(Settings.unset(openai_base_url="http://127.0.0.1:1/v1"))

    def test_no_price(self) -> None:
        with pytest.raises(SettingsError, match="TRIPBED_PRICE_IN"):
            check_model(Settings.unset(openai_model="m", openai_base_url="https://example.com"))

    def test_a_model_of_this_machine_is_free(self) -> None:
        check_model(Settings.unset(openai_model="m", openai_base_url="http://127.0.0.1:1/v1"))

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            (("magic", "folder", "tripbed"), "no engine"),
            (("rules", "foldr", "tripbed"), "no profile"),
            (("rules", "folder", "xlsx"), "no tables format"),
        ],
    )
    def test_unknown_names(self, given: tuple[str, str, str], words: str) -> None:
        with pytest.raises(SettingsError, match=words):
            check_settings(*given)


@pytest.mark.parametrize(
    "options",
    [
        ("serve", "--cron", "nonsense"), ("serve", "--maintenance-cron", "1"),
        ("serve", "--time-zone", "Shanghai"), ("serve", "--port", "0"),
        ("serve", "--keep-days", "-1"), ("deploy", "--pool", "p", "--cron", "61 3 * * *"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_wrong_schedule_is_refused(options: tuple[str, ...]) -> None:
    outcome = run(*options, "--city", "hangzhou")
    assert outcome.code == 2
    assert "Traceback" not in outcome.err
    assert outcome.out == ""
