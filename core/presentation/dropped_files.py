"""The notice about several files dropped at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from core.common import number_format
from core.presentation.model import Notice, NoticeAction

_LINKS = 3


def dropped_notice(paths: Sequence[str]) -> Notice:
    """Link the other dropped files, and the comparison of two."""
    others = paths[1:]
    links = [NoticeAction(f"Open {_name(path)}", "open", path) for path in others[:_LINKS]]
    if len(paths) == 2:
        links.append(NoticeAction("Compare the two", "compare-file", paths[1]))
    what = f"{number_format.plural(len(others), 'more file was', 'more files were')} dropped."
    more = (
        f"{number_format.count(len(others) - _LINKS)} of them have no link here."
        if len(others) > _LINKS
        else ""
    )
    text = f"Only {_name(paths[0])} was opened. {more}".strip()
    return Notice("info", what, text, tuple(links), topic="dropped")


def _name(path: str) -> str:
    return PurePath(path).name
