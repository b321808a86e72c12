"""The wheel in an empty environment:
it builds the sample from an empty folder, and validates it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

UV = Path(sys.executable).parent / "uv"
#: What would lead back to the checkout, or keep the new environment from saving compiled modules.
HIDDEN = ("PYTHONPATH", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")


def _run(folder: Path, *command: object) -> str:
    """What a command says, run in a folder that knows nothing of the checkout."""
    outside = {k: v for k, v in os.environ.items() if k not in HIDDEN}
    done = subprocess.run(
        [*map(str, command)], cwd=folder, capture_output=True, text=True, check=False, env=outside
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not UV.is_file() or not shutil.which("make"), reason="needs uv and make")
def test_a_wheel_builds_and_validates_the_sample(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    # The environment of the tests is finished: it isn't made anew in the middle of them.
    _run(ROOT, "make", "-o", ".venv/.ready", "wheel", f"DIST={tmp_path / 'dist'}")
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    python = tmp_path / "env" / "bin" / "python"
    _run(empty, UV, "venv", "-q", "--python", sys.executable, tmp_path / "env")
    _run(empty, UV, "pip", "install", "-q", "--python", python,
         "--constraint", ROOT / "requirements.lock", wheel)  # fmt: skip
    tripbed = python.with_name("tripbed")
    built = _run(empty, tripbed, "demo", "--direct").splitlines()[-1]
    assert ": 0 failed" in _run(empty, tripbed, "validate", built).splitlines()[-1]
    script = f"import tripbed; print(tripbed.Sandbox({built!r}).cities, tripbed.__file__)"
    said = _run(empty, python, "-c", script)
    assert said.startswith("('hangzhou',)")
    assert str(tmp_path) in said
