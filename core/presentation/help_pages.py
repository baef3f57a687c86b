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
_BEGIN_PAGES = ("getting-started.md", "samples.md", "reading-the-window.md", "which-strategy.md")
_LOOK_UP_PAGES = (
    "command-line.md",
    "json.md",
    "engine.md",
    "mcp.md",
    "hooks.md",
    "plugins.md",
    "installing.md",
    "performance.md",
)
GROUPS = ("Begin", "In depth", "Look up", "Strategies")
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
    """Return every page by group; the Begin group in its own order, others by title."""
    pages = [_page(path, folder) for path in folder.rglob("*.md")]
    return tuple(sorted(pages, key=_sort_key))


def _sort_key(page: HelpPage) -> tuple[int, int, str]:
    page_order = _BEGIN_PAGES.index(page.name) if page.name in _BEGIN_PAGES else 0
    return GROUPS.index(page.group), page_order, page.title.lower()


def _page(path: Path, folder: Path) -> HelpPage:
    name = path.relative_to(folder).as_posix()
    text = _COMMENT.sub("", path.read_text("utf-8"))
    title = _TITLE.search(text)
    return HelpPage(name, one_line_text(title[1]) if title else path.stem, _group(name), text)


def _group(name: str) -> str:
    if "/" in name:
        return GROUPS[3]
    return GROUPS[0] if name in _BEGIN_PAGES else GROUPS[2] if name in _LOOK_UP_PAGES else GROUPS[1]


def find_in_help(pages: Sequence[HelpPage], query: str) -> tuple[HelpPage, ...]:
    """Return the pages with every word of the query, title matches first; ignores case."""
    words = query.lower().split()
    results = []
    for page in pages:
        lower = _MARKUP.sub("", page.text).lower()
        if words and all(word in lower for word in words):
            in_title = any(word in page.title.lower() for word in words)
            results.append((not in_title, -sum(lower.count(word) for word in words), page))
    return tuple(page for *_, page in sorted(results, key=lambda entry: entry[:2]))


def link_target(page: str, link: str) -> tuple[str, str] | None:
    """Return page and heading of a link, None if it leaves the help."""
    path, _, heading = link.partition("#")
    if ":" in path or path.startswith("/"):
        return None
    name = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    return None if name.startswith("..") else (name, heading)


def heading_anchor(heading: str) -> str:
    """Return a heading's anchor: lowercase words joined by dashes."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
