"""Which program opens files of a type now, by the rules of the desktop's lists of associations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from core.desktop.places import Places

DEFAULTS = "Default Applications"
_ADDED, _REMOVED, _CACHE = "Added Associations", "Removed Associations", "MIME Cache"


def opener(type_name: str, parents: tuple[str, ...], where: Places) -> str:
    """The menu entry that opens a type of file, else the one that opens the nearest of its parents.

    Empty where there is none. ``parents`` are those that the person's system may not know yet.
    """
    known = _parents(where)
    waiting, seen = [type_name], set[str]()
    while waiting:
        name = waiting.pop(0)
        found = chosen(name, where) or next(_offered(name, where), "")
        if found:
            return found
        seen.add(name)
        above = [*known.get(name, ()), *(parents if name == type_name else ())]
        above += ["text/plain"] if name.startswith("text/") else []
        waiting += [one for one in above if one not in seen]
    return ""


def chosen(type_name: str, where: Places) -> str:
    """The menu entry that the person or the system chose for a type; empty where nobody did."""
    for path in where.choices():
        for entry in listed(path, DEFAULTS).get(type_name, ()):
            if is_installed(entry, where):
                return entry
    return ""


def _offered(type_name: str, where: Places) -> Iterator[str]:
    """The menu entries that say that they open a type, in the order in which they are asked."""
    removed: set[str] = set()
    for path in where.choices():
        removed.update(listed(path, _REMOVED).get(type_name, ()))
        for entry in listed(path, _ADDED).get(type_name, ()):
            if entry not in removed and is_installed(entry, where):
                yield entry
    for folder in where.applications:
        for entry in listed(folder / "mimeinfo.cache", _CACHE).get(type_name, ()):
            if entry not in removed and is_installed(entry, where):
                yield entry


def is_installed(entry: str, where: Places) -> bool:
    """True where a folder of menu entries has it; a dash may stand for a folder."""
    names = (entry, entry.replace("-", "/", 1))
    return any((folder / name).is_file() for folder in where.applications for name in names)


def listed(path: Path, section: str) -> dict[str, tuple[str, ...]]:
    """What a section of such a list holds, by type; nothing where the file is not there or not readable."""
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    current = ""
    for line in map(str.strip, lines):
        if line.startswith("["):
            current = line.strip("[]")
        elif current == section and "=" in line and not line.startswith("#"):
            name, _, entries = line.partition("=")
            found[name.strip()] = tuple(filter(None, (one.strip() for one in entries.split(";"))))
    return found


def _parents(where: Places) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for folder in (where.data, *where.shared_data):
        try:
            lines = (folder / "mime" / "subclasses").read_text("utf-8", "replace").splitlines()
        except OSError:
            continue
        for line in lines:
            child, _, parent = line.partition(" ")
            found.setdefault(child, []).append(parent.strip())
    return found
