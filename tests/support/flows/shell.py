"""Scripts of the pages, run in bash; their ``tripbed`` is this process, so nothing loads again."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.flows import running

#: The command as a function of the shell: asks this process, then says and ends as it does.
_TRIPBED = f"""\
tripbed() {{ '{sys.executable}' -SIX utf8 -c '
import json, os, socket, sys
door = socket.socket(socket.AF_UNIX)
door.connect(os.environ["TRIPBED_DOOR"])
with door.makefile("rw", encoding="utf-8") as line:
    print(json.dumps([os.getcwd(), *sys.argv[1:]]), file=line, flush=True)
    code, out, err = json.loads(line.readline())
sys.stdout.write(out)
sys.stderr.write(err)
sys.exit(code)
' "$@"; }}
"""


def run_script(script: str, folder: Path) -> running.Outcome:
    """Run a script in a folder with ``bash -eu``."""
    with TemporaryDirectory() as place, socket.socket(socket.AF_UNIX) as door:
        out, err = Path(place, "out"), Path(place, "err")
        door.bind(f"{place}/door")
        door.listen()
        with out.open("wb") as said, err.open("wb") as complained:
            shell = subprocess.Popen(
                ["bash", "-euc", _TRIPBED + script], cwd=folder, stdout=said, stderr=complained,
                env={**os.environ, "TRIPBED_DOOR": f"{place}/door"},
            )  # fmt: skip
            while shell.poll() is None:
                if select.select([door], [], [], 0.02)[0]:
                    _answer(door)
        return running.Outcome(shell.returncode, out.read_text("utf-8"), err.read_text("utf-8"))


def _answer(door: socket.socket) -> None:
    """Run the command that somebody asks for, in the folder that it was called in."""
    caller, _ = door.accept()
    with caller, caller.makefile("rw", encoding="utf-8") as line:
        folder, *arguments = json.loads(line.readline())
        with chdir(folder):
            outcome = running.run(*arguments)
        print(json.dumps([outcome.code, outcome.out, outcome.err]), file=line, flush=True)
