"""The word splitter is quiet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT


def test_jieba_is_quiet_and_writes_no_cache(tmp_path: Path) -> None:
    code = "from sources.web.search import tokenize; print(tokenize('冬季看海'))"
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", code],
        capture_output=True,
        text=True,
        env={"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT),
             "PYTHONIOENCODING": "utf-8"},
        check=True,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout == "['冬季', '看海']\n"
    assert list(tmp_path.iterdir()) == []
