"""Simulate a model server on 127.0.0.1 that counts requests and answers them with readings.

    python -m benchmarks.llm_server --readings READINGS.jsonl --documents DIR

With ``--readings``, the answers come from careful readings of the documents in a folder
(``benchmarks.careful_answers``). Without ``--readings``, the answers come from the rules. With
``--readings``, names are translated only if they are in the file ``--translations``, which has
three columns (city, Chinese name, English name) and no header.

The server counts all requests, their tokens (tokenizer o200k) and repeated requests (those with an
equal body). The server can limit the requests and tokens per minute with a token bucket. Requests
above the limit are answered with status 429.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.careful_answers import NoReading, careful_answers
from extractors.llm.money import request_tokens, tokens
from extractors.tasks import TASKS, Translation
from flows.models.stand_ins import read_as_shown
from sources.web.corpus import read_folder

_TASKS = {task.name: task for task in TASKS}
_CITY = re.compile(r"^Names of places in (.+)$", re.MULTILINE)
_NUMBERED = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)


#: Answers that leave the decision to the rules, for each number in a request.
_OF_NUMBERS: dict[str, Callable[[list[int]], dict[str, Any]]] = {
    "consistency_judgement": lambda ns: {"wishes": [{"number": n, "fits": True} for n in ns]},
    "link_review": lambda ns: {"links": [{"number": n, "place": None} for n in ns]},
    "pair_judgement": lambda ns: {
        "pairs": [{"number": n, "answer": "unknown", "why": "no more is known"} for n in ns]
    },
    "context_tagging": lambda ns: {"tags": []},
}


def answer_to(body: dict[str, Any]) -> dict[str, Any]:
    """Use the rules to carry out a task on the text in the request."""
    name = body["response_format"]["json_schema"]["name"]
    shown = body["messages"][-1]["content"]
    if name == Translation.name:
        return translations(shown, {})
    if name in _OF_NUMBERS:
        return _OF_NUMBERS[name]([int(number) for number, _ in _NUMBERED.findall(shown)])
    text = shown.split("<document>\n", 1)[1].rsplit("\n</document>", 1)[0]
    return read_as_shown(_TASKS[name], text)


def translations(shown: str, known: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    """Answer a request for English names by looking up each city and Chinese name in ``known``."""
    city = _CITY.search(shown)
    rows = [
        {"number": int(number), "translation": known.get((city[1] if city else "", name))}
        for number, name in _NUMBERED.findall(shown)
    ]
    return {"texts": rows}


def answer_from_file(path: Path) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return a function that takes English names from a file and answers all other tasks with the
    rules.
    """
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    known = {(city, name): english for city, name, english in lines if english}

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        if body["response_format"]["json_schema"]["name"] == Translation.name:
            return translations(body["messages"][-1]["content"], known)
        return answer_to(body)

    return answer


class Allowance:
    """An allowance of requests or tokens per minute, which refills at a constant rate."""

    def __init__(self, per_minute: int | None):
        self.per_minute, self.level, self.at = per_minute, float(per_minute or 0), time.monotonic()

    def wait(self, amount: float) -> float:
        """Return the seconds until the allowance is large enough for the amount."""
        if self.per_minute is None:
            return 0.0
        now = time.monotonic()
        self.level = min(self.per_minute, self.level + (now - self.at) * self.per_minute / 60)
        self.at = now
        return max(0.0, (amount - self.level) * 60 / self.per_minute)


class ServerState:
    """The server's counts and limits."""

    def __init__(self, requests: int | None, token_limit: int | None):
        self.lock = threading.Lock()
        self.seen: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.tokens_in = self.tokens_out = self.limited = 0
        self.first = self.last = 0.0
        #: The request with this number (from 1) is not answered until ``released`` is set.
        self.held: int | None = None
        self.released = threading.Event()
        self.buckets = (Allowance(requests), Allowance(token_limit))

    def admit(self, used: int) -> float:
        """Admit a request with this many tokens and return 0, or return the seconds to wait."""
        with self.lock:
            wait = max(self.buckets[0].wait(1), self.buckets[1].wait(used))
            if wait > 0:
                self.limited += 1
                return wait
            self.buckets[0].level -= 1
            self.buckets[1].level -= used
            return 0.0


def serve(
    delay_s: float, requests: int | None = None, token_limit: int | None = None, port: int = 0,
    answer: Callable[[dict[str, Any]], dict[str, Any]] = answer_to,
) -> tuple[ThreadingHTTPServer, ServerState]:  # fmt: skip
    """Start the server in a thread; ``answer`` returns the JSON answer to a request."""
    state = ServerState(requests, token_limit)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body are two writes; the second would wait 40 ms for the client's receipt.
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            found = {"requests": sum(state.seen.values()), "different": len(state.seen),
                     "repeated": sum(n - 1 for n in state.seen.values()),
                     "answered_again": sum(n - 1 for n in state.answered.values()),
                     "tokens_in": state.tokens_in, "tokens_out": state.tokens_out,
                     "limited": state.limited, "seconds": state.last - state.first}  # fmt: skip
            self.reply(200, found)

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            body = json.loads(raw)
            content = "是"
            if "response_format" in body:
                try:
                    content = json.dumps(answer(body), ensure_ascii=False)
                except NoReading as error:
                    self.reply(400, {"error": {"message": str(error), "code": "no_reading"}})
                    return
            used_in, used_out = request_tokens(body), tokens(content)
            wait = state.admit(used_in + used_out)
            if wait > 0:
                told = {"message": "slow down", "code": "rate_limit_exceeded"}
                self.reply(429, {"error": told}, {"retry-after": f"{wait:.3f}"})
                return
            key = hashlib.sha256(raw).hexdigest()
            with state.lock:
                state.seen[key] += 1
                state.first = state.first or time.monotonic()
                hold = state.held == sum(state.seen.values())
            if hold:
                state.released.wait()
            time.sleep(delay_s)
            with state.lock:
                state.tokens_in += used_in
                state.tokens_out += used_out
                state.last = time.monotonic()
            message = {"role": "assistant", "content": content}
            self.reply(200, {
                "id": "x", "object": "chat.completion",
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {"prompt_tokens": used_in, "completion_tokens": used_out},
            })  # fmt: skip
            with state.lock:
                state.answered[key] += 1

        def reply(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
            data = json.dumps(body).encode()
            try:
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                for name, value in (headers or {}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                self.close_connection = True

        def log_message(self, *_args: Any) -> None:
            """Log nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_args: Any) -> None:
            """Ignore errors, because killed clients are part of the measurement."""

    server = Server(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, state


def main() -> None:
    """Serve requests until standard input ends; the first line of the output is the port."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay", type=float, default=0.05)
    parser.add_argument("--requests", type=int)
    parser.add_argument("--tokens", type=int)
    parser.add_argument("--translations", type=Path)
    parser.add_argument("--readings", type=Path)
    parser.add_argument(
        "--documents", type=Path, help="folder of the documents that the readings describe"
    )
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    answer = answer_from_file(options.translations) if options.translations else answer_to
    if options.readings:
        corpus = read_folder([options.documents])
        answer = careful_answers(options.readings, map(corpus.load, corpus.files))
    server, _state = serve(options.delay, options.requests, options.tokens, options.port, answer)
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
