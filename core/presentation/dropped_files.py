"""The notice about several files dropped at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from core.common import number_format
from core.presentation.model import Notice, NoticeAction

_MAX_LINKS = 3


def dropped_notice(paths: Sequence[str]) -> Notice:
    """Link the other dropped files, and the comparison of two."""
    others = paths[1:]
    links = [NoticeAction(f"Open {_name(path)}", "open", path) for path in others[:_MAX_LINKS]]
    if len(paths) == 2:
        links.append(NoticeAction("Compare the two", "compare-file", paths[1]))
    title = f"{number_format.plural(len(others), 'more file was', 'more files were')} dropped."
    more_text = (
        f"{number_format.count(len(others) - _MAX_LINKS)} of them have no link here."
        if len(others) > _MAX_LINKS
        else ""
    )
    text = f"Only {_name(paths[0])} was opened. {more_text}".strip()
    return Notice("info", title, text, tuple(links), topic="dropped")


def _name(path: str) -> str:
    return PurePath(path).name
