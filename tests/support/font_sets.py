"""Fonts that the tests draw with: a fontconfig of the suite's own, whatever the machine has
installed.

``make test FONTS=inter`` and ``FONTS=noto`` run it in other families; without it DejaVu is the only
one.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.sax.saxutils import escape

import pytest

VARIABLE = "FONTS"
_FACES = (
    "DejaVuSans.ttf",
    "DejaVuSans-Bold.ttf",
    "DejaVuSansMono.ttf",
    "DejaVuSansMono-Bold.ttf",
)
_DEJAVU = ("DejaVu Sans", "fonts-dejavu-core", _FACES)
SETS = {
    "dejavu": _DEJAVU,
    "inter": ("Inter", "fonts-inter", ("Inter-*.otf", "Inter-*.ttf")),
    "noto": ("Noto Sans", "fonts-noto-core", ("NotoSans-*.ttf",)),
}
"""By name: the family of plain text, its Debian package, its files. Code is always in DejaVu Sans
Mono."""


def use_fonts(home: Path) -> TemporaryDirectory[str] | None:
    """Let Qt see one set of fonts only, in this process and in those that it starts. Returns the
    folder of the fonts, which the caller removes at the end; None on other systems than Linux, and
    in the workers of a run, which inherit the setting."""
    if not sys.platform.startswith("linux") or "PYTEST_XDIST_WORKER" in os.environ:
        return None
    name = os.environ.get(VARIABLE) or "dejavu"
    if name not in SETS:
        raise pytest.UsageError(
            f"There is no set of fonts {name}; FONTS is one of: {', '.join(SETS)}."
        )
    folder = TemporaryDirectory(prefix="foldline-fonts-")
    place = Path(folder.name)
    for family, package, patterns in dict.fromkeys((SETS[name], _DEJAVU)):
        found = [
            path
            for pattern in patterns
            for root in _roots(home)
            for path in root.rglob(pattern)
        ]
        if not found:
            raise pytest.UsageError(
                f"The font {family} is not installed; install it with: apt install {package}."
            )
        for path in found:
            target = place / path.name
            if not target.exists():
                target.symlink_to(path)
    config = place / "fonts.conf"
    config.write_text(_config(place, SETS[name][0]), encoding="utf-8")
    os.environ["FONTCONFIG_FILE"] = str(config)
    return folder


def _roots(home: Path) -> list[Path]:
    shared = (os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share").split(
        ":"
    )
    places = [
        *(Path(one) / "fonts" for one in shared),
        home / ".local/share/fonts",
        home / ".fonts",
    ]
    return [place for place in dict.fromkeys(places) if place.is_dir()]


def _config(folder: Path, family: str) -> str:
    """Return a configuration with ``family`` for every missing family, DejaVu Sans Mono for code,
    and fixed hinting."""
    code = "".join(f"<family>{one}</family>" for one in ("DejaVu Sans Mono", family))
    text = "".join(f"<family>{one}</family>" for one in (family, "DejaVu Sans"))
    return f"""<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>{escape(str(folder))}</dir>
  <cachedir>{escape(str(folder / "cache"))}</cachedir>
  <alias binding="same"><family>monospace</family><prefer>{code}</prefer></alias>
  <alias binding="same"><family>sans-serif</family><prefer>{text}</prefer></alias>
  <match target="pattern">
    <test qual="all" name="family" compare="not_eq"><string>monospace</string></test>
    <edit name="family" mode="append_last"><string>{family}</string><string>DejaVu Sans</string></edit>
  </match>
  <match target="font">
    <edit name="antialias" mode="assign"><bool>true</bool></edit>
    <edit name="hinting" mode="assign"><bool>true</bool></edit>
    <edit name="hintstyle" mode="assign"><const>hintslight</const></edit>
  </match>
</fontconfig>
"""
