"""What is written for the desktop: the menu entry, the types of files, and the choices that are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from core.desktop.openers import DEFAULTS

KEPT = "X-Foldline-Kept"
"""The key of the menu entry under which the choices stand that were written down for others."""


@dataclass(frozen=True, slots=True)
class FileType:
    """A type of file that Foldline offers to open. ``parents`` and ``patterns`` only for a type that
    Foldline brings along."""

    name: str
    about: str = ""
    parents: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


TYPES = (
    FileType("application/json"),
    FileType("application/x-ndjson", "JSON lines", ("text/plain",), ("*.jsonl", "*.ndjson")),
    FileType("application/x-agent-trajectory+json", "Agent trajectory", ("application/json",), ("*.traj",)),
    FileType("application/x-inspect-eval", "Inspect AI log", ("application/zip",), ("*.eval",)),
)


def desktop_entry(program: str, kept: Mapping[str, str]) -> str:
    """The menu entry; ``program`` is the path that it starts, ``kept`` the choices by type."""
    lines = [
        "[Desktop Entry]",
        "Type=Application",
        "Version=1.0",
        "Name=Foldline",
        "GenericName=Transcript inspector",
        "Comment=See where an agent's transcript folds, why, and what that costs",
        f"TryExec={_escaped(program)}",
        f"Exec={_escaped(_quoted(program))} %f",
        "Icon=foldline",
        "Terminal=false",
        "StartupNotify=true",
        "StartupWMClass=foldline",
        "Categories=Development;Debugger;",
        "Keywords=agent;llm;transcript;compaction;context;",
        f"MimeType={''.join(f'{one.name};' for one in TYPES)}",
    ]
    if kept:
        lines.append(f"{KEPT}={''.join(f'{name} {entry};' for name, entry in kept.items())}")
    return "\n".join([*lines, ""])


def _quoted(program: str) -> str:
    """A word of a command line, as the rules of menu entries have it."""
    text = program.replace("\\", "\\\\").replace("%", "%%")
    for character in '"`$':
        text = text.replace(character, f"\\{character}")
    return f'"{text}"'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\")


def mime_package() -> str:
    """The types that Foldline brings along. Where a system knows a pattern, its own type holds."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">',
    ]
    for one in TYPES:
        if not one.patterns:
            continue
        lines.append(f'  <mime-type type="{escape(one.name)}">')
        lines.append(f"    <comment>{escape(one.about)}</comment>")
        lines += [f'    <sub-class-of type="{escape(parent)}"/>' for parent in one.parents]
        lines += [f'    <glob weight="40" pattern="{escape(pattern)}"/>' for pattern in one.patterns]
        lines.append("  </mime-type>")
    return "\n".join([*lines, "</mime-info>", ""])


def kept_before(entry: Path) -> dict[str, str]:
    """The choices that a menu entry of ours wrote down; none where it is not there."""
    try:
        lines = entry.read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}
    texts = [line.partition("=")[2] for line in lines if line.startswith(f"{KEPT}=")]
    pairs = [one.partition(" ") for text in texts for one in text.split(";") if " " in one]
    return {name: program for name, _, program in pairs}


def with_choices(text: str, kept: Mapping[str, str]) -> str:
    """The person's list of choices with these added at the head of their section; all else stays."""
    added = [f"{name}={entry};" for name, entry in kept.items()]
    if not added:
        return text
    lines, head = text.splitlines(), f"[{DEFAULTS}]"
    places = [number for number, line in enumerate(lines) if line.strip() == head]
    if places:
        lines[places[0] + 1 : places[0] + 1] = added
    else:
        lines += [*([""] if lines else []), head, *added]
    return "\n".join([*lines, ""])


def without_choices(text: str, kept: Mapping[str, str]) -> str:
    """The list without the lines that are still as they were written."""
    ours = {f"{name}={entry};" for name, entry in kept.items()}
    return "".join(line for line in text.splitlines(keepends=True) if line.strip() not in ours)
