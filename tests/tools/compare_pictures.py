"""Compares the pictures of two folders: ``python -m tests.tools.compare_pictures BEFORE AFTER``.

Prints a line for each picture that differs, with the share of its pixels, and exits 1 if any does.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtGui import QImage

_FORMAT = QImage.Format.Format_RGB32


def difference(before: Path, after: Path) -> str:
    """What differs between two pictures, "" where nothing does."""
    if not (before.exists() and after.exists()):
        return "only before" if before.exists() else "only after"
    old, new = (QImage(str(path)).convertToFormat(_FORMAT) for path in (before, after))
    if old.size() != new.size():
        return f"{old.width()}×{old.height()} before, {new.width()}×{new.height()} after"
    pixels = zip(memoryview(old.constBits()).cast("I"), memoryview(new.constBits()).cast("I"), strict=True)
    changed = sum(one != other for one, other in pixels)
    return f"{changed / (old.width() * old.height()):.3%} of its pixels" if changed else ""


def main(before: Path, after: Path) -> int:
    """Compare all PNG files of two folders by their names."""
    names = sorted({path.name for folder in (before, after) for path in folder.glob("*.png")})
    found = {name: difference(before / name, after / name) for name in names}
    for name, what in found.items():
        if what:
            print(f"{name}: {what}")
    print(f"{sum(not what for what in found.values())} of {len(names)} pictures are the same")
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
