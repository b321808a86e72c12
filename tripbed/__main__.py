"""Runs the command line with ``python -m tripbed``."""

from __future__ import annotations

from flows.cli import main

if __name__ == "__main__":
    main()
