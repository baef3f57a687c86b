"""Runs the command for ``python -m gui`` and, when installed, ``python -m foldline``."""

from __future__ import annotations

import sys

if __name__ == "__main__":  # spawned workers import this module too, under another name
    from gui.launcher import main

    sys.exit(main())
