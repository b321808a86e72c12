"""A served snapshot: MCP by two transports, plain HTTP, the page in a browser, and its end."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import TextContent

from tests.conftest import ROOT
from tests.support.flows.report.browser import CHROMIUM, Browser
from tests.support.forked import Command


@dataclass
class Served:
    """A server of a copy of the sample, its address and the log of its calls."""

    process: Command
    address: str
    snapshot: Path
    log: Path

    def ask(self, name: str, /, **arguments: Any) -> httpx.Response:
        return httpx.post(
            f"{self.address}/tools/{name}", json=arguments, trust_env=False, timeout=30
        )

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()]


def start(snapshot: Path, log: Path, *more: str) -> Command:
    return Command(["sandbox", "serve", snapshot, "--log", log, *more], heard=True)


def ended(process: Command | subprocess.Popen[str]) -> tuple[int, float]:
    """Exit code after Ctrl-C, and the seconds that it took."""
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    return process.wait(30), time.monotonic() - began


@pytest.fixture(scope="module")
def served(built_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    shutil.copytree(built_sample, folder / "snapshot")
    process = start(folder / "snapshot", folder / "calls.jsonl", "--port", "0")
    assert process.stdout is not None
    address = process.stdout.readline().split("/ ")[0]
    assert address.startswith("http://127.0.0.1:")
    yield Served(process, address, folder / "snapshot", folder / "calls.jsonl")
    # A client that never finishes its request does not keep the server.
    with socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1]))) as hanging:
        hanging.sendall(b"POST /tools/nearby HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 9\r\n")
        code, seconds = ended(process)
    assert (code, seconds < 5) == (130, True)


async def two_days(target: Any) -> tuple[list[str], dict[str, list[dict[str, str]]], str]:
    """Names of the tools, and a plan of two days that is made through them alone."""
    async with Client(target) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        plan: dict[str, list[dict[str, str]]] = {}
        popular = await client.call_tool("popular", {"city": "Hangzhou", "rows": 10})
        seen: set[str] = set()
        for day, first in enumerate(popular.structured_content["rows"][:2], 1):
            near = await client.call_tool(
                "nearby",
                {"city": "杭州", "table": "attractions", "where": first["place_id"], "k": 8},
            )
            chosen = [row for row in near.structured_content["rows"] if row["place_id"] not in seen]
            plan[f"Day {day}"] = [
                {
                    "POI name": row["name"],
                    "Start visit time": f"{9 + 3 * n:02d}:00",
                    "End visit time": f"{11 + 3 * n:02d}:00",
                }
                for n, row in enumerate(chosen[:3])
            ]
            seen |= {row["place_id"] for row in chosen[:3]}
        wrong = await client.call_tool("find", {"city": "杭州", "name": "西湖泊"})
        assert wrong.is_error
        assert isinstance(wrong.content[0], TextContent)
        return names, plan, wrong.content[0].text


class TestProtocol:
    def test_a_client_plans_two_days_over_http(self, served: Served, tmp_path: Path) -> None:
        names, plan, told = anyio.run(two_days, f"{served.address}/mcp")
        assert {"nearby", "goto", "chinatravel"} <= set(names)
        assert [len(day) for day in plan.values()] == [3, 3]
        assert "Did you mean: 西湖" in told
        (tmp_path / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        from tests.support.flows.running import run

        done = run(
            "plans",
            "score",
            served.snapshot,
            tmp_path / "plan.json",
            "--out",
            tmp_path / "s.parquet",
        )
        assert done.code == 0, done.out
        assert any(
            line["via"] == "mcp" and line["client"].startswith("mcp") for line in served.lines()
        )

    def test_a_client_plans_two_days_over_stdio(self, served: Served, tmp_path: Path) -> None:
        log = tmp_path / "calls.jsonl"
        arguments = [
            "-m",
            "flows.cli",
            "sandbox",
            "serve",
            str(served.snapshot),
            "--stdio",
            "--log",
            str(log),
        ]
        target = StdioServerParameters(
            command=sys.executable, args=arguments, cwd=str(ROOT), env=dict(os.environ)
        )
        names, plan, _ = anyio.run(two_days, target)
        assert len(names) > 15
        assert [len(day) for day in plan.values()] == [3, 3]
        statuses = [json.loads(line)["status"] for line in log.read_text("utf-8").splitlines()]
        assert statuses == [200, 200, 200, 422]

    def test_ctrl_c_ends_stdio(self, served: Served, tmp_path: Path) -> None:
        log = tmp_path / "calls.jsonl"
        command = [
            sys.executable,
            "-m",
            "flows.cli",
            "sandbox",
            "serve",
            str(served.snapshot),
            "--stdio",
            "--log",
            str(log),
        ]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, cwd=ROOT, text=True, stdin=pipe, stdout=pipe, stderr=pipe
        ) as process:
            hello = {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "initialize",
                "params": {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {},
                    "clientInfo": {"name": "t", "version": "1"},
                },
            }
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(hello) + "\n")
            process.stdin.flush()
            assert "tripbed" in process.stdout.readline()
            code, seconds = ended(process)
        assert (code, seconds < 5) == (130, True)


class TestHttp:
    def test_an_answer_and_its_line_in_the_log(self, served: Served) -> None:
        found = served.ask("nearby", city="杭州", table="hotels", where="西湖", k=1)
        assert found.json()["data"]["rows"][0]["place_id"] in found.json()["text"]
        last = served.lines()[-1]
        assert (last["via"], last["tool"], last["status"]) == ("http", "nearby", 200)
        assert last["arguments"] == {"city": "杭州", "table": "hotels", "where": "西湖", "k": 1}

    @pytest.mark.parametrize(
        ("given", "status", "told"),
        [
            ({"content": b"{"}, 400, "not JSON"),
            ({"content": b"[1]"}, 422, "an object"),
            ({"content": b"[" * 60_000}, 400, "not JSON"),
            (
                {"content": b'{"city": "' + b"x" * 70_000 + b'"}'},
                413,
                "not be larger than 65,536 bytes",
            ),
            (
                {"content": b"{}", "headers": {"content-type": "text/plain"}},
                415,
                "application/json",
            ),
            ({"content": b"{}", "headers": {"host": "evil.example"}}, 400, "Invalid host"),
        ],
    )
    def test_what_cannot_be_read_is_told(
        self, served: Served, given: dict[str, Any], status: int, told: str
    ) -> None:
        headers = {"content-type": "application/json", **given.pop("headers", {})}
        found = httpx.post(
            f"{served.address}/tools/find", headers=headers, trust_env=False, **given
        )
        assert (found.status_code, told in found.text) == (status, True)
        assert str(served.snapshot) not in found.text

    def test_what_describes_the_tools(self, served: Served) -> None:
        document = httpx.get(f"{served.address}/openapi.json", trust_env=False).json()
        listed = httpx.get(f"{served.address}/tools", trust_env=False).json()["tools"]
        assert {f"/tools/{tool['name']}" for tool in listed} == set(document["paths"])
        assert httpx.get(f"{served.address}/tools/find", trust_env=False).status_code == 405
        assert httpx.get(f"{served.address}/map/atlantis", trust_env=False).status_code == 404

    def test_the_port_of_another_is_told(self, served: Served, tmp_path: Path) -> None:
        port = served.address.rsplit(":", 1)[1]
        process = start(served.snapshot, tmp_path / "log.jsonl", "--port", port)
        _, complained = process.communicate(timeout=60)
        assert process.returncode == 2
        assert "choose a different port with --port" in complained


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize("width", [1400, 390])
def test_the_page_asks_and_shows(browser: Browser, served: Served, width: int) -> None:
    browser.visit(f"{served.address}/", width=width)
    _until(browser, "document.getElementById('ask') !== null")
    browser.run("document.getElementById('ask').click()")
    _until(browser, "document.getElementById('words') !== null")
    assert "hotels near" in browser.run("document.getElementById('words').textContent")
    assert browser.run("document.documentElement.scrollWidth") <= width
    for name in ("goto", "chinatravel"):
        browser.run(
            f"(() => {{ const s = document.getElementById('tool'); s.value = '{name}';"
            " s.dispatchEvent(new Event('change')); })()"
        )
        browser.run("document.getElementById('answer').replaceChildren()")
        browser.run("document.getElementById('ask').click()")
        _until(browser, "document.getElementById('words') !== null")
        assert not browser.run("document.getElementById('words').classList.contains('failed')")
    assert browser.problems == []
    assert [url for url in browser.requests if not url.startswith(served.address)] == []


def _until(browser: Browser, holds: str) -> None:
    deadline = time.monotonic() + 60
    while not browser.run(holds):
        assert time.monotonic() < deadline, holds
        time.sleep(0.05)


def test_a_replaced_snapshot_is_served_as_it_was(served: Served) -> None:
    """Last of all: the folder is taken away while it is served."""
    before = served.ask("find", city="杭州", name="西湖").json()
    shutil.rmtree(served.snapshot / "data")
    for name in ("contexts", "cuisines", "city_stats"):  # tables that nobody has asked for yet
        assert served.ask(name, city="杭州").status_code == 200
    assert served.ask("find", city="杭州", name="西湖").json() == before
