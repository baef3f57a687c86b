"""What mkdocs calls: the pages are those of the help window, the home page is the head of the
README."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

from core.presentation.help_pages import GROUPS, help_pages

_ROOT = Path(__file__).resolve().parents[2]
_PAGES = {
    f"help/{page.name}": page for page in help_pages(_ROOT / "resources" / "help")
}
_STYLE = """\
.md-typeset table th:empty { display: none; }
.md-typeset img { border: 1px solid var(--md-default-fg-color--lightest); }
"""
_LOADED = re.compile(
    r"""<(?:script|img|iframe)\b[^>]*\ssrc=["']?(?:https?:)?//|<link\b[^>]*\shref=["']?(?:https?:)?//"""
)


def on_config(config: Any) -> Any:
    """Order the pages as the help window does."""
    pages = [
        {
            group: [
                {page.title: path}
                for path, page in _PAGES.items()
                if page.group == group
            ]
        }
        for group in GROUPS
    ]
    config.nav = [{"Foldline": "index.md"}, *pages, {"Changes": "changes.md"}]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add what is written from the README and the changelog."""
    readme = (_ROOT / "README.md").read_text("utf-8")
    head, _, rest = readme.partition("\n## Start\n")
    pages = re.search(r"^## Help\n.*?(?=^## )", rest, re.MULTILINE | re.DOTALL)
    assert pages, "the README lists the pages under Help"
    made = {
        "index.md": (head + "\n" + pages[0]).replace("](resources/", "]("),
        "changes.md": (_ROOT / "CHANGELOG.md").read_text("utf-8"),
        "docs.css": _STYLE,
    }
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Show the text of the window: without the comments of the tables that are written."""
    path = page.file.src_uri
    return _PAGES[path].text if path in _PAGES else markdown


def on_post_build(config: Any) -> None:
    """Refuse a site that loads something from another host."""
    for path in Path(config.site_dir).rglob("*.html"):
        if found := _LOADED.search(path.read_text("utf-8")):
            raise PluginError(f"{path.name} loads a file from another host: {found[0]}")
