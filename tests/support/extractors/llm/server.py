"""An OpenAI-compatible endpoint on 127.0.0.1 that answers, or misbehaves, by a script."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from extractors.tasks import ONE_WORD, TASKS


@dataclass(frozen=True)
class Step:
    """One answer: a status with a body, or a reset, a cut body, a delay before it."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    reset: bool = False
    cut: bool = False
    delay_s: float = 0.0


def completion(
    content: str | None, finish: str = "stop", tokens: tuple[int, int] = (100, 20), **message: Any
) -> Step:
    """A chat completion of this content."""
    return Step(
        body={
            "id": "x",
            "object": "chat.completion",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish,
                    "message": {"role": "assistant", "content": content, **message},
                }
            ],
            "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1],
                      "prompt_tokens_details": {"cached_tokens": 40}},
        }
    )  # fmt: skip


def task_of(body: dict[str, Any]) -> str:
    """The task that a request carries: by its schema, else by what its answer is one word to."""
    wanted = body.get("response_format")
    if wanted:
        return str(wanted["json_schema"]["name"])
    question = body["messages"][0]["content"]
    return next(task.name for task in TASKS if task.name in ONE_WORD and _asks(task, question))


def _asks(task: Any, question: str) -> bool:
    forms = [task.input_model(lang=lang, name="x") for lang in ("zh", "en")]
    return question in [task.prompt(form)[0]["content"] for form in forms]


def said(answer: dict[str, Any]) -> Step:
    """The answer of a task: JSON, or a word with the probabilities beside it."""
    if "word" not in answer:
        return completion(json.dumps(answer, ensure_ascii=False))
    step = completion(answer["word"], finish="length")
    rows = [{"token": t, "logprob": p} for t, p in answer.get("likely", {}).items()]
    step.body["choices"][0]["logprobs"] = {"content": [{"top_logprobs": rows}]}
    return step


def refused(status: int, message: str, code: str | None = None, **headers: str) -> Step:
    """An error as such endpoints send it."""
    return Step(status, {"error": {"message": message, "code": code, "type": code}}, headers)


@dataclass
class Endpoint:
    """The running server: what it was asked, and what it will say."""

    base_url: str = ""
    script: list[Step] = field(default_factory=list)
    otherwise: Step | None = None
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def count(self) -> int:
        """Requests that arrived."""
        return len(self.bodies)

    def next_step(self, body: dict[str, Any], key: str | None) -> Step:
        """Note a request and take the next line of the script."""
        with self.lock:
            self.bodies.append(body)
            self.keys.append(key)
            if self.script:
                return self.script.pop(0)
            return self.otherwise or Step(500, {"error": {"message": "the script is over"}})


@contextmanager
def serving(endpoint: Endpoint | None = None) -> Iterator[Endpoint]:
    """Serve on a free port until the block ends."""
    told = endpoint or Endpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body are two writes; the second would wait 40 ms for the client's receipt.
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            size = int(self.headers["content-length"])
            body = json.loads(self.rfile.read(size))
            step = told.next_step(body, self.headers.get("authorization"))
            time.sleep(step.delay_s)
            if step.reset:
                linger = struct.pack("ii", 1, 0)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                self.connection.close()
                self.close_connection = True
                return
            self.answer(step)

        def answer(self, step: Step) -> None:
            data = step.body if isinstance(step.body, str) else json.dumps(step.body)
            try:
                self.send_response(step.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data.encode())))
                for name, value in step.headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(data.encode()[: 30 if step.cut else None])
                self.close_connection = step.cut
            except OSError:
                self.close_connection = True  # the client went away in time

        def log_message(self, *_args: Any) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_args: Any) -> None:
            """A reset connection is part of the script."""

    server = Server(("127.0.0.1", 0), Handler)
    told.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
