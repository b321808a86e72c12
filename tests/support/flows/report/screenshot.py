"""Pictures of a report for the README: ``python -m tests.support.flows.report.screenshot PAGE
FOLDER``.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.support.flows.report.browser import Browser

#: File name, settings of the page, width, height, and what to do before.
_PICTURES = (
    ("report.png", "?lang=en&theme=light", 1200, 1240, ""),
    (
        "report-dark.png",
        "?lang=zh&theme=dark",
        1200,
        820,
        (
            "document.querySelectorAll('.finder .chip')[1].click();document.querySelector('#found"
            " li').click();document.getElementById('map').scrollIntoView();"
        ),
    ),
    (
        "report-phone.png",
        "?lang=zh&theme=light",
        390,
        844,
        "document.getElementById('map').scrollIntoView();",
    ),
)


def main(page: Path, folder: Path) -> None:
    """Write every picture of the page into the folder."""
    browser = Browser()
    try:
        for name, query, width, height, act in _PICTURES:
            browser.open(page, query, width, height)
            browser.run(f"document.documentElement.style.scrollBehavior = 'auto'; {act} 1")
            time.sleep(0.5)  # the map glides
            browser.settle()
            browser.screenshot(folder / name)
    finally:
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
