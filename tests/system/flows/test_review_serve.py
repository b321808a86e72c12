"""The page of reviews: served, refused to others, and used by keyboard alone in a browser."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from flows.review.store import DECISIONS_FILE, list_decisions
from tests.support.flows.report.browser import CHROMIUM, Browser
from tests.support.flows.reviewing import reviewed_snapshot
from tests.support.flows.running import run
from tests.support.forked import Command

#: Whether the page waits for a key.
IDLE = "document.getElementById('main').getAttribute('aria-busy') === 'false'"
#: What two readers press on 60 rows, again and again.
FIRST, SECOND = "rrwruhrrwr", "rrwwurrrwr"


@dataclass
class Served:
    """A server of a store, its address and token."""

    process: Command
    address: str
    token: str
    store: Path

    def ask(self, path: str, reader: str = "one", **more: Any) -> httpx.Response:
        headers = {"x-token": self.token, "x-reader": reader, **more.pop("headers", {})}
        method = "POST" if "json" in more or "content" in more else "GET"
        return httpx.request(
            method,
            f"{self.address}/api/{path}",
            headers=headers,
            trust_env=False,
            timeout=30,
            **more,
        )

    def answer(self, number: int, answer: str, reader: str = "one", **more: Any) -> httpx.Response:
        return self.ask(f"rows/{number}/answer", reader, json={"answer": answer, **more})


def start(path: Path, *options: object) -> Served:
    process = Command(["review", "serve", path, "--port", 0, *options], heard=True)
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line.startswith("http://127.0.0.1:"):
        raise RuntimeError(process.communicate()[1])
    address, token = line.split("/#")
    return Served(process, address, token, path)


def end(served: Served) -> int:
    if served.process.poll() is None:
        served.process.send_signal(signal.SIGINT)
    return served.process.wait(30)


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a small snapshot of hostile names."""
    return reviewed_snapshot(tmp_path_factory.mktemp("reviewed")).parent


@pytest.fixture
def store(reviewed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(reviewed, tmp_path / "store", symlinks=True))


@pytest.fixture
def served(store: Path) -> Iterator[Served]:
    one = start(store)
    yield one
    end(one)


class TestServer:
    def test_ctrl_c_ends_it_though_a_request_hangs(self, served: Served) -> None:
        port = int(served.address.rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port)) as hanging:
            hanging.sendall(b"POST /api/undo HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 9\r\n")
            began = time.monotonic()
            assert end(served) == 130
            assert time.monotonic() - began < 5
        assert served.process.stderr is not None
        assert "Traceback" not in served.process.stderr.read()

    def test_a_killed_server_loses_no_decision(self, served: Served) -> None:
        for number in range(6):
            assert served.answer(number, "wrong").status_code == 200
        served.process.kill()
        served.process.wait(30)
        assert len(list_decisions(served.store, None)) == 6
        again = start(served.store)
        assert again.ask("state").json()["marks"] == "wwwwww"
        end(again)

    @pytest.mark.usefixtures("all_cores")
    def test_two_pages_at_once_lose_nothing(self, served: Served) -> None:
        def decide(told: tuple[int, str]) -> int:
            return served.answer(told[0], "right", told[1]).status_code

        asked = [(number, reader) for number in range(6) for reader in ("one", "two", "three")]
        with ThreadPoolExecutor(6) as pool:
            assert set(pool.map(decide, asked)) == {200}
            # The same row of one reader, decided on two pages that know nothing of it.
            assert sorted(pool.map(decide, [(0, "four")] * 2)) == [200, 409]
        assert len(list_decisions(served.store, None)) == 19

    def test_others_are_refused(self, served: Served) -> None:
        for headers, status in (
            ({"x-token": "guess"}, 403),
            ({"x-token": ""}, 403),
            ({"origin": "https://example.org"}, 403),
            ({"origin": "null"}, 403),
            ({"sec-fetch-site": "cross-site"}, 403),
            ({"host": "example.org"}, 400),
            ({"host": "127.0.0.1.example.org"}, 400),
            ({"x-reader": "a%E2%80%AEb"}, 422),
            ({"x-reader": ""}, 422),
            ({"content-type": "text/plain"}, 415),
        ):
            typed = {"content-type": "application/json", **headers}
            found = served.ask("rows/0/answer", content=b'{"answer": "right"}', headers=typed)
            assert found.status_code == status, headers
        assert list_decisions(served.store, None) == []

    def test_what_cannot_be_read_is_refused(self, served: Served) -> None:
        typed = {"content-type": "application/json"}
        for content, status in (
            (b"{", 400),
            (b"[1]", 422),
            (b"[" * 9000, 400),
            (b"x" * 20_000, 413),
            (b"{}", 422),
        ):
            assert served.ask("rows/0/answer", content=content, headers=typed).status_code == status
        assert served.answer(0, "same_as", poi_id="poi_0123456789abcdef").status_code == 422
        assert served.answer(99, "right").status_code == 404
        assert served.ask("undo", json={}).status_code == 422
        assert httpx.get(f"{served.address}/", trust_env=False).status_code == 200

    def test_no_reader_sees_another_s_answer(self, served: Served) -> None:
        served.answer(0, "not_here", "one", reason="a remark of one")
        row = served.ask("rows/0", "two")
        assert row.json()["answer"] is None
        assert "remark of one" not in row.text
        state = served.ask("state", "two").json()
        assert state["marks"] == "......"
        assert state["agreement"] == [
            {"reader": "one", "rows": 0, "decided": 1, "share": None, "kappa": None}
        ]

    def test_one_name_for_all_who_ask(self, store: Path) -> None:
        served = start(store, "--reader", "安娜")
        served.answer(0, "right", "another")
        assert [row["reviewer"] for row in list_decisions(store, None)] == ["安娜"]
        end(served)


def city_of_others(folder: Path) -> Path:
    path = folder / "others.jsonl"
    row = {
        "decision_id": "r_1",
        "city_id": "gn1",
        "table": "links",
        "row_id": "x",
        "fact_hash": "y",
        "reviewer": "one",
        "decision": "accept",
        "reason": "",
        "decided_on": "2026-03-01",
    }
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return path


class TestBadInput:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (
                ("--table", "pois"),
                "'pois' cannot be reviewed: --table must be one of places, links",
            ),
            (("--reader", "a\u202eb"), "--reader: a reviewer's name must have 1 to 40 characters"),
            (("--workspace", "nowhere"), "nowhere contains no documents"),
            (
                ("--decisions", "nowhere/a.jsonl"),
                "decisions are saved in the folder nowhere, which does not",
            ),
            (("--decisions", "a.csv"), "the file name must end in .jsonl"),
        ],
    )
    def test_options(self, reviewed: Path, options: tuple[str, ...], message: str) -> None:
        done = run("review", "serve", reviewed, "--port", 0, *options)
        assert (done.code, message in done.err.replace("\n", " ")) == (2, True), done.err

    def test_decisions_of_another_snapshot(self, reviewed: Path, tmp_path: Path) -> None:
        done = run(
            "review", "serve", reviewed, "--port", 0, "--decisions", city_of_others(tmp_path)
        )
        assert done.code == 2
        assert "contains 1 decision, but none of them is about a city of" in done.err.replace(
            "\n", " "
        )

    def test_a_damaged_store(self, store: Path) -> None:
        (store / DECISIONS_FILE).write_text('{"decision_id": "a"}\n{', encoding="utf-8")
        done = run("review", "serve", store, "--port", 0)
        assert (done.code, DECISIONS_FILE in done.err) == (2, True)

    def test_a_port_in_use(self, served: Served) -> None:
        done = run("review", "serve", served.store, "--port", served.address.rsplit(":", 1)[1])
        assert (done.code, "choose a different port with --port" in done.err) == (2, True)

    def test_a_snapshot_without_rows_or_table(self, built_sample: Path, tmp_path: Path) -> None:
        done = run("review", "serve", built_sample, "--table", "plans", "--port", 0)
        assert (done.code, "has no plans (no rows in witness_plans)" in done.err) == (2, True)
        old = Path(shutil.copytree(built_sample, tmp_path / "old"))
        manifest = json.loads((old / "manifest.json").read_text("utf-8"))
        del manifest["tables"]["links"]
        (old / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        done = run("review", "serve", old, "--port", 0)
        assert (done.code, "has no table links: rebuild the snapshot" in done.err) == (2, True), (
            done.err
        )

    def test_a_store_whose_latest_leads_nowhere(self, tmp_path: Path) -> None:
        (tmp_path / "latest").symlink_to("gone")
        for path in (tmp_path, tmp_path / "latest"):
            done = run("review", "serve", path, "--port", 0)
            assert (done.code, "Traceback" in done.err) == (2, False)

    def test_a_workspace_without_a_snapshot(self, built_sample: Path, tmp_path: Path) -> None:
        workspace = built_sample.parents[1] / "work"
        done = run("review", "serve", workspace, "--out", tmp_path, "--port", 0)
        assert done.code == 2
        assert "contains no snapshot: publish one with `tripbed resume`" in done.err.replace(
            "\n", " "
        )


class Page:
    """The page in a browser, used by its keys alone."""

    def __init__(self, browser: Browser, served: Served, width: int):
        self.browser, self.served, self.width = browser, served, width

    def open(self, reader: str) -> None:
        self.browser.visit("about:blank")
        self.browser.visit(
            f"{self.served.address}/#{self.served.token}",
            self.width,
            844 if self.width < 600 else 900,
        )
        self.until("!document.getElementById('start').hidden")
        self.press(*reader, "Enter")
        self.until(
            "!document.getElementById('row').hidden || !document.getElementById('finished').hidden"
        )

    def press(self, *keys: str) -> None:
        for key in keys:
            self.browser.key(key)

    def until(self, holds: str) -> None:
        deadline = time.monotonic() + 60
        while not self.browser.run(holds):
            assert time.monotonic() < deadline, holds
            time.sleep(0.01)

    def text(self, name: str) -> str:
        return str(self.browser.run(f"document.getElementById('{name}').textContent"))

    def decide(self, key: str) -> None:
        """Press a key and wait until an answer is given or taken back."""
        before = self.text("count")
        self.press(key)
        self.until(f"document.getElementById('count').textContent !== {json.dumps(before)}")
        self.until(IDLE)

    def read_focus(self) -> str:
        return str(
            self.browser.run(
                "(document.activeElement.textContent || document.activeElement.id).trim()"
            )
        )


@pytest.fixture
def sample_store(built_sample: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built_sample.parent, tmp_path / "store", symlinks=True))


@pytest.fixture
def sixty(built_sample: Path, sample_store: Path) -> Iterator[Served]:
    """Sixty links of the sample city, by the workspace that it was built in."""
    workspace = built_sample.parents[1] / "work"
    one = replace(start(workspace, "--sample", 60, "--out", sample_store), store=sample_store)
    yield one
    end(one)


def counted_by_hand(store: Path) -> tuple[float, float]:
    """Share and Cohen's kappa of the two readers, counted from the file itself."""
    told: dict[str, dict[str, str]] = {"one": {}, "two": {}}
    for line in (store / DECISIONS_FILE).read_text("utf-8").splitlines():
        row = json.loads(line)
        told[row["reviewer"]][row["row_id"]] = row["decision"] + row.get("instead", "")
    both = [(told["one"][row], told["two"][row]) for row in told["one"].keys() & told["two"].keys()]
    share = sum(a == b for a, b in both) / len(both)
    ones, twos = Counter(a for a, _ in both), Counter(b for _, b in both)
    chance = sum(ones[k] * twos[k] for k in ones) / len(both) ** 2
    return share, (share - chance) / (1 - chance)


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize("width", [1400, 390])
def test_sixty_rows_by_keyboard(
    browser: Browser, sixty: Served, width: int, record_property: Any
) -> None:
    page = Page(browser, sixty, width)
    page.open("one")
    page.press("?")
    assert browser.run("document.getElementById('help').open")
    page.press("Escape")
    assert "mark" in browser.run("document.getElementById('passages').innerHTML")
    began = time.monotonic()
    for at in range(60):
        page.decide(FIRST[at % 10])
    seconds = time.monotonic() - began
    record_property("seconds", seconds)
    assert seconds < 300
    assert "All 60 links are decided" in page.text("finished")
    pressed = Counter(FIRST * 6)
    kept = list_decisions(sixty.store, None)
    assert Counter(row["decision"] for row in kept) == {
        "accept": pressed["r"], "reject": pressed["w"] + pressed["h"], "unsure": pressed["u"],
    }  # fmt: skip
    assert sum(row.get("instead") == "elsewhere" for row in kept) == pressed["h"]

    for key in ("z", "Backspace", "z"):
        page.decide(key)
    assert page.text("count") == "57 of 60 decided"
    assert len(list_decisions(sixty.store, None)) == 57
    for at in (57, 58, 59):
        page.decide(FIRST[at % 10])

    page.open("two")
    assert page.text("count") == "0 of 60 decided"
    assert "no row that both decided" in page.text("agreement")
    assert browser.run("document.getElementById('given').hidden")
    for at in range(60):
        page.decide(SECOND[at % 10])
    share, kappa = counted_by_hand(sixty.store)
    told = f"You and one agree on {share:.1%} of 60 rows, kappa {kappa:.2f}".replace(".0%", "%")
    assert page.text("agreement") == told
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.problems == []
    assert [url for url in browser.requests if not url.startswith(sixty.address)] == []


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize("width", [1400, 390])
def test_every_way_by_keys(browser: Browser, served: Served, width: int) -> None:
    page = Page(browser, served, width)
    page.open("one")
    # A rival by its number, and one that is searched for.
    page.decide("1")
    page.press("s")
    assert browser.run("document.getElementById('chooser').open")
    page.press(*"mirror")
    page.until("document.querySelectorAll('#options [role=option]').length === 1")
    page.press("ArrowDown", "ArrowUp", "Enter")
    page.until("document.getElementById('count').textContent.startsWith('2 of')")
    kept = list_decisions(served.store, None)
    assert len({row["instead"] for row in kept}) == 1
    # A remark goes with the next answer.
    page.press("m", *"so it is", "Enter")
    page.decide("w")
    assert [row["reason"] for row in list_decisions(served.store, None) if row["reason"]] == [
        "so it is"
    ]
    # Back and on; a row that was answered says so, and can be answered anew.
    page.press("p")
    page.until("!document.getElementById('given').hidden")
    assert page.text("given") == "You said: wrong – so it is"
    page.press("u")
    page.until("document.querySelectorAll('.mark.u').length === 1")
    for key in ("ArrowLeft", "n", "o"):
        page.press(key)
        page.until(IDLE)
    # Every button by Tab, with a ring around it.
    seen = set()
    for _ in range(25):
        page.press("Tab")
        if browser.run("document.activeElement.matches('a, button, input')"):
            seen.add(page.read_focus())
            ring = browser.run("getComputedStyle(document.activeElement).outlineStyle")
            assert ring == "solid", page.read_focus()
    assert {"✓Rightr", "✗Wrongw", "?Unsureu"} <= seen, seen
    browser.run("document.querySelector('#answers .unsure').focus()")
    before = page.text("count")
    page.press("Enter")
    page.until(f"document.getElementById('count').textContent !== {json.dumps(before)}")
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("window.hacked") is None
    unnamed = (
        "[...document.querySelectorAll('button, input, svg[role=img]')].filter(one =>"
        " !(one.getAttribute('aria-label') || one.textContent.trim() || (one.labels ||"
        " []).length)).map(one => one.outerHTML)"
    )
    assert browser.run(unnamed) == []
    assert browser.problems == []


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize(
    "kind", ["places", "queries", "candidates", "trajectories", "facts", "tags", "plans"]
)
def test_every_kind_is_shown(browser: Browser, store: Path, kind: str) -> None:
    served = start(store, "--table", kind)
    try:
        page = Page(browser, served, 390)
        page.open("one")
        assert len(page.text("sentence")) > 20
        total = browser.run("document.querySelectorAll('.mark').length")
        for _ in range(total):
            page.decide("r")
        assert f"All {total} {kind} are decided" in page.text("finished")
        assert browser.run("window.hacked") is None
        assert browser.problems == []
    finally:
        end(served)


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_a_page_without_token_or_server_says_what_to_do(browser: Browser, served: Served) -> None:
    browser.visit(f"{served.address}/")
    page = Page(browser, served, 1280)
    page.until("document.getElementById('trouble').textContent.includes('ends with this server')")
    page.open("one")
    page.decide("r")
    end(served)
    page.press("w")
    page.until("document.getElementById('trouble').textContent.includes('does not answer')")
    assert len(list_decisions(served.store, None)) == 1
