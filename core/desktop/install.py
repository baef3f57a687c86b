"""Puts Foldline among the programs of a Linux desktop, and takes it away again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.desktop.openers import chosen, opener
from core.desktop.places import Places
from core.desktop.texts import TYPES, desktop_entry, kept_before, mime_package, with_choices, without_choices
from core.errors import InputError
from core.files import make_folder_of, write_atomic
from core.paths import RESOURCES

ENTRY = "foldline.desktop"
Run = Callable[[Sequence[str]], bool]
"""Runs a program quietly; False where it is not there or failed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The files to write with what they will hold, and who goes on opening which type."""

    files: tuple[tuple[Path, bytes], ...]
    kept: dict[str, str]


def plan(program: str, where: Places) -> Plan:
    """What ``install`` would write for the program at this path. Reads only."""
    before = kept_before(where.data / "applications" / ENTRY)
    kept = {**before, **_to_keep(where)}
    files = [
        (where.data / "applications" / ENTRY, desktop_entry(program, kept).encode()),
        (where.data / "mime" / "packages" / "foldline.xml", mime_package().encode()),
        *((target, source.read_bytes()) for source, target in _icons(where)),
    ]
    return Plan(tuple(files), kept)


def _to_keep(where: Places) -> dict[str, str]:
    """Who opens each type now without having been chosen: a new entry would go before them."""
    found = {}
    for one in TYPES:
        now = opener(one.name, one.parents, where)
        if now and now != ENTRY and not chosen(one.name, where):
            found[one.name] = now
    return found


def _icons(where: Places) -> list[tuple[Path, Path]]:
    """The icon as drawn and in pixels: where it comes from and where it goes."""
    theme, icons = where.data / "icons" / "hicolor", RESOURCES / "icons"
    pairs = [(icons / "foldline.svg", theme / "scalable" / "apps" / "foldline.svg")]
    for source in sorted((icons / "sizes").glob("*.png"), key=lambda path: int(path.stem)):
        pairs.append((source, theme / f"{source.stem}x{source.stem}" / "apps" / "foldline.png"))
    return pairs


def install(program: str, where: Places, run: Run) -> tuple[Plan, tuple[str, ...]]:
    """Write all of it. Returns what was written, and the programs that could not be run for the desktop.

    Raises InputError where a file cannot be written.
    """
    made = plan(program, where)
    choices = where.config / "mimeapps.list"
    new = {name: entry for name, entry in made.kept.items() if not chosen(name, where)}
    if new:
        _write(choices, with_choices(_text(choices), new).encode())
    for path, data in made.files:
        _write(path, data)
    return made, _refresh(where, run)


def remove(where: Places, run: Run) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Take away what ``install`` wrote. Returns the files that were there, and what could not be run."""
    entry, choices = where.data / "applications" / ENTRY, where.config / "mimeapps.list"
    if kept := kept_before(entry):
        before = _text(choices)
        after = without_choices(before, kept)
        if after != before:
            _write(choices, after.encode())
    there = tuple(path for path in _written(where) if path.is_file())
    for path in there:
        try:
            path.unlink()
        except OSError as error:
            raise InputError(
                f"{path} could not be removed: {error.strerror}.", "Remove it by hand."
            ) from None
    return there, _refresh(where, run) if there else ()


def _written(where: Places) -> list[Path]:
    package = where.data / "mime" / "packages" / "foldline.xml"
    return [where.data / "applications" / ENTRY, package, *(target for _, target in _icons(where))]


def is_there(where: Places) -> bool:
    """True where the menu entry is installed."""
    return (where.data / "applications" / ENTRY).is_file()


def _refresh(where: Places, run: Run) -> tuple[str, ...]:
    """Let the desktop read the new files; the names of programs that it takes and that did not do it."""
    calls = (
        ("update-mime-database", str(where.data / "mime")),
        ("update-desktop-database", str(where.data / "applications")),
        ("gtk-update-icon-cache", "-q", "-t", "-f", str(where.data / "icons" / "hicolor")),
    )
    return tuple(words[0] for words in calls if not run(words))


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.", "Mend it first; nothing was written.") from None


def _write(path: Path, data: bytes) -> None:
    make_folder_of(path)
    write_atomic(path, data, overwrite=True)
