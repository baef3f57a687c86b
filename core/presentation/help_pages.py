"""The help pages: order, search, links."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.common.excerpts import one_line_text
from core.common.paths import RESOURCES

HELP_FOLDER = RESOURCES / "help"
FIRST_PAGE = "getting-started.md"
_EACH_STRATEGY = "Each strategy"
_PAGES = {
    "Begin": (
        "getting-started",
        "samples",
        "reading-the-window",
        "which-strategy",
        "installing",
    ),
    "Strategies and losses": (
        "strategies",
        "losses",
        "compare",
        "replay",
        "backtest",
        "tune",
        "density",
        "modes",
    ),
    "Files": ("formats", "exports", "repair", "context-size", "performance"),
    "Setup": ("settings", "models", "prompts", "accessibility"),
    "Scripts and agents": (
        "command-line",
        "ci",
        "json",
        "engine",
        "mcp",
        "hooks",
        "plugins",
    ),
    "What was measured": ("measured",),
}
"""The pages of each group, in order; the README lists the same. Pages of single strategies come
last."""
GROUPS = (*_PAGES, _EACH_STRATEGY)
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_TITLE = re.compile(r"^# +(.+)$", re.MULTILINE)
_MARKUP = re.compile(r"\]\([^)]*\)|[*`|\[\]]|^#+ ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class HelpPage:
    """``name`` is the path in the help folder, ``text`` is Markdown."""

    name: str
    title: str
    group: str
    text: str


def help_pages(folder: Path = HELP_FOLDER) -> tuple[HelpPage, ...]:
    """Return every page by group, in its order; those of single strategies by title."""
    pages = [_page(path, folder) for path in folder.rglob("*.md")]
    return tuple(sorted(pages, key=_sort_key))


def _sort_key(page: HelpPage) -> tuple[int, int, str]:
    names = _PAGES.get(page.group, ())
    name = page.name.removesuffix(".md")
    return (
        GROUPS.index(page.group),
        names.index(name) if name in names else 0,
        page.title.lower(),
    )


def _page(path: Path, folder: Path) -> HelpPage:
    name = path.relative_to(folder).as_posix()
    text = _COMMENT.sub("", path.read_text("utf-8"))
    title = _TITLE.search(text)
    return HelpPage(
        name, one_line_text(title[1]) if title else path.stem, _group(name), text
    )


def _group(name: str) -> str:
    """Return the group of a page; one that no group lists is among those of single strategies."""
    stem = name.removesuffix(".md")
    return next(
        (group for group, stems in _PAGES.items() if stem in stems), _EACH_STRATEGY
    )


def find_in_help(pages: Sequence[HelpPage], query: str) -> tuple[HelpPage, ...]:
    """Return the pages with every word of the query, title matches first; ignores case."""
    words = query.lower().split()
    results = []
    for page in pages:
        lower = _MARKUP.sub("", page.text).lower()
        if words and all(word in lower for word in words):
            in_title = any(word in page.title.lower() for word in words)
            results.append(
                (not in_title, -sum(lower.count(word) for word in words), page)
            )
    return tuple(page for *_, page in sorted(results, key=lambda entry: entry[:2]))


def link_target(page: str, link: str) -> tuple[str, str] | None:
    """Return page and heading of a link, None if it leaves the help."""
    path, _, heading = link.partition("#")
    if ":" in path or path.startswith("/"):
        return None
    if path:
        name = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
    else:
        name = page
    if name.startswith(".."):
        return None
    return (name, heading)


def heading_anchor(heading: str) -> str:
    """Return a heading's anchor: lowercase words joined by dashes."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
