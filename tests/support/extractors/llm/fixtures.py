"""A document of our own, a scripted endpoint and an engine for it."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from extractors.llm import Ledger, LLMSettings, OpenAIEngine, TokenPrices
from schemas.documents import Document
from schemas.tasks import DocumentInput
from tests.support import servers
from tests.support.extractors.llm.server import Endpoint, Step, completion, serving

KEY = "sk-test-0123456789abcdef"
TEXT = (
    "两天计划",
    "第一天：上午逛青鹭寺，下午去望潮阁。",
    "第二天：石门古街走半天，老灯塔在维修，不去了。",
)
ROUTE = {
    "days": [
        {
            "day": 1,
            "visits": [{"name": "青鹭寺", "remark": None}, {"name": "望潮阁", "remark": None}],
        },
        {"day": 2, "visits": [{"name": "石门古街", "remark": "半天"}]},
    ],
    "reason": "",
}
INVENTED = {"days": [{"day": 1, "visits": [{"name": "碧云塔", "remark": None}]}], "reason": ""}


def good() -> Step:
    """The answer that the document supports."""
    return completion(json.dumps(ROUTE, ensure_ascii=False))


def document(number: int = 0) -> DocumentInput:
    """The document; another number makes it another one with the same stops."""
    rows = [("title", 1, TEXT[0] + (f" {number}" if number else ""), False)]
    rows += [("paragraph", 0, text, False) for text in TEXT[1:]]
    found = Document.from_texts(f"d{number}", f"{number}.md", rows, lang="zh")  # type: ignore[arg-type]
    return DocumentInput(document=found, city="海棠湾")


@pytest.fixture(autouse=True)
def _no_outer_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A scripted endpoint."""
    with serving() as found:
        yield found


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A ledger in a file."""
    found = Ledger(tmp_path / "ledger.sqlite")
    yield found
    found.close()


@pytest.fixture
def postgres(postgres_server: str) -> Iterator[str]:
    """Address of a PostgreSQL database of the test's own."""
    name = f"test_{uuid.uuid4().hex}"
    server = sa.create_engine(postgres_server, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with server.connect() as connection:
        connection.execute(sa.text(f"create database {name}"))
    yield sa.make_url(postgres_server).set(database=name).render_as_string(hide_password=False)
    with server.connect() as connection:
        connection.execute(sa.text(f"drop database {name} with (force)"))
    server.dispose()


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a PostgreSQL server: one of our own, or a given one."""
    pytest.importorskip("psycopg", reason="psycopg is not installed (extra: postgres)")
    given = os.environ.get("TRIPBED_TEST_POSTGRES")
    if given:
        yield given
        return
    if servers.postgres_programs() is None:
        pytest.skip("no PostgreSQL: install it, or set TRIPBED_TEST_POSTGRES to an address")
    with servers.postgres(tmp_path_factory.mktemp("postgres")) as address:
        yield f"postgresql+psycopg://{address}"


@pytest.fixture
def waits() -> list[float]:
    """The seconds that the engine asked to sleep."""
    return []


@pytest.fixture
def engine_of(
    endpoint: Endpoint, ledger: Ledger, waits: list[float]
) -> Callable[..., OpenAIEngine]:
    """Make an engine for the scripted endpoint; it notes its sleeps and sleeps a little."""

    def make(*, run_id: str | None = None, **changes: Any) -> OpenAIEngine:
        settings: dict[str, Any] = {
            "base_url": endpoint.base_url,
            "api_key": KEY,
            "model": "small",
            "prices": TokenPrices(usd_per_mtok_in="0.5", usd_per_mtok_out="2"),  # type: ignore[arg-type]
            "read_timeout_s": 5,
        }

        def sleep(seconds: float) -> None:
            waits.append(seconds)
            time.sleep(min(seconds, 0.05))

        return OpenAIEngine(LLMSettings(**settings | changes), ledger, sleep=sleep, run_id=run_id)

    return make
