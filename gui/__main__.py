"""``python -m gui``, installed ``python -m foldline``: the same as the command."""

from __future__ import annotations

import sys

if __name__ == "__main__":  # spawned workers read this module too, under another name
    from gui.launcher import main

    sys.exit(main())
