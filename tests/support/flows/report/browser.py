"""Headless Chromium over a DevTools pipe: no driver, no network, only the standard library."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-default-apps", "--disable-extensions", "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)  # fmt: skip


class Browser:
    """One tab. ``problems`` gathers console errors and exceptions, ``requests`` every address."""

    def __init__(self) -> None:
        assert CHROMIUM
        self._home = tempfile.mkdtemp(prefix="tripbed-browser-")
        to_child, self._out = os.pipe()
        self._in, from_child = os.pipe()
        # Chromium reads commands from descriptor 3 and writes answers to 4: first out of the way.
        high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (to_child, from_child)]
        silent = [(os.POSIX_SPAWN_OPEN, out, os.devnull, os.O_WRONLY, 0) for out in (1, 2)]
        wired = [(os.POSIX_SPAWN_DUP2, end, at) for at, end in enumerate(high, 3)]
        self._pid = os.posix_spawn(
            CHROMIUM,
            [CHROMIUM, *_FLAGS, f"--user-data-dir={self._home}", "about:blank"],
            os.environ,
            file_actions=[*silent, *wired],
        )
        for end in (to_child, from_child, *high):
            os.close(end)
        self._buffer, self._number, self._session = b"", 0, None
        self.problems: list[str] = []
        self.requests: list[str] = []
        self._context = ""
        self.renew()

    def renew(self) -> None:
        """Go on in a new tab that keeps nothing of the one before."""
        self._session = None
        if self._context:
            self.send("Target.disposeBrowserContext", browserContextId=self._context)
        self._context = self.send("Target.createBrowserContext")["browserContextId"]
        target = self.send(
            "Target.createTarget", url="about:blank", browserContextId=self._context
        )["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self.problems.clear()
        self.requests.clear()
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; events that pass by are kept."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 180
        while True:
            answer = self._read(deadline)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])

    def _read(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], max(deadline - time.monotonic(), 0))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self._in, 1 << 20)
            if not part:
                raise RuntimeError("the browser has gone")
            self._buffer += part
        raw, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(raw)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(params["exceptionDetails"])[:500])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in (
            "error",
            "warning",
            "assert",
        ):
            self.problems.append(json.dumps(params["args"])[:500])

    def open(
        self, page: Path, query: str = "", width: int = 1280, height: int = 900, scale: float = 1
    ) -> None:
        """Open a file and wait until it is drawn."""
        self.visit(page.resolve().as_uri() + query, width, height, scale)

    def visit(self, url: str, width: int = 1280, height: int = 900, scale: float = 1) -> None:
        """Open an address and wait until it is drawn."""
        self.problems.clear()
        self.requests.clear()
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 600,
        )
        self.send("Page.navigate", url=url)
        protocol = url.split(":", 1)[0] + ":"
        deadline = time.monotonic() + 180
        while not self.run(
            f"document.readyState === 'complete' && location.protocol === '{protocol}'"
        ):
            if time.monotonic() > deadline:
                raise TimeoutError("the page does not load")
            time.sleep(0.02)
        self.settle()

    def settle(self) -> None:
        """Wait for two frames, so that what was asked for is painted."""
        self.run(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"
        )

    def run(self, expression: str) -> Any:
        """Value of a JavaScript expression; a promise is awaited."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def key(self, key: str) -> None:
        """Press and release a key."""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        codes = {
            "Enter": 13,
            "Tab": 9,
            "Escape": 27,
            "Backspace": 8,
            "ArrowDown": 40,
            "ArrowUp": 38,
            "ArrowLeft": 37,
            "ArrowRight": 39,
        }
        number = {"windowsVirtualKeyCode": codes[key]} if key in codes else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **number)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, **number)
        self.settle()

    def click(self, x: float, y: float) -> None:
        """Click with the left button."""
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def screenshot(self, target: Path, full: bool = False) -> None:
        """Write a PNG of what is shown, or of the whole page."""
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=full)
        target.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        """End the browser that was started here and remove its profile."""
        os.kill(self._pid, signal.SIGTERM)
        os.waitpid(self._pid, 0)
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._home, ignore_errors=True)
