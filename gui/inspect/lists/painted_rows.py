"""Cached pages of a list: rows in order, and the pictures painted of them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from PySide6.QtGui import QPixmap

from core.presentation.bounded_cache import RecentCache
from core.presentation.lists.row_plan import OpenedKey, RowKind, RowPlan, row_plan
from gui.inspect.lists.column_layout import ColumnLayout
from gui.inspect.lists.list_content import ListContent
from gui.inspect.lists.message_row import RowAppearance

CACHED_PAGES, CACHE_BYTES = 4, 24_000_000
"""The number of cached pages, and the bytes of all but the shown one."""
MAX_PICTURES = 160
"""The number of row pictures cached for the shown page."""
_PLAN_BYTES = 9  # bytes of a plan per message

PictureKey = tuple[int, int, float, RowAppearance]
"""Row, width, pixel ratio and appearance of a picture."""


@dataclass(frozen=True, slots=True)
class RowVisibility:
    """What is visible: open folds, hidden fates, the mask of a filter."""

    opened: frozenset[OpenedKey] = frozenset()
    hidden: frozenset[int] = frozenset()
    mask: bytes = b""


@dataclass(slots=True)
class ListPage:
    """The rows of one content. ``max_tokens`` are the tokens of its largest message; ``pictures`` belong to
    ``columns``; pages that are not shown keep only those of the rows that were visible."""

    content: ListContent
    visibility: RowVisibility = field(default_factory=RowVisibility)
    max_tokens: int = 0
    plan: RowPlan = field(default_factory=RowPlan)
    columns: ColumnLayout | None = None
    columns_key: Hashable = None  # what the columns depend on, besides content and fonts
    pictures: dict[PictureKey, QPixmap] = field(default_factory=dict)
    identity: object = field(default_factory=object)  # identifies this page in caches

    def matches(self, content: ListContent, visibility: RowVisibility) -> bool:
        """True if these are the rows of a content."""
        return self.visibility == visibility and self.content == content

    def set_columns(self, columns: ColumnLayout, columns_key: Hashable) -> None:
        """Set other columns; pictures of moved rows are dropped."""
        self.columns_key = columns_key
        if columns != self.columns:
            self.columns = columns
            self.pictures.clear()

    def drop_pictures(self) -> None:
        self.columns_key = None
        self.pictures.clear()

    def keep_pictures(self, rows: range) -> None:
        """Drop the pictures of other rows."""
        for key in [key for key in self.pictures if key[0] not in rows]:
            del self.pictures[key]

    def same_picture(self, row: int, key: PictureKey, other: ListPage) -> QPixmap | None:
        """Return another page's picture of the same message, if it looks the same here."""
        kind, index = self.plan.kind_and_index(row)
        content, other_content = self.content, other.content
        if kind != RowKind.MESSAGE or content.rows is not other_content.rows or self.columns != other.columns:
            return None
        other_row = other.plan.row_of(index)
        if other_row < 0 or other.plan.kinds[other_row] != RowKind.MESSAGE:
            return None  # hidden there, or folded
        is_same = content.fate(index) == other_content.fate(index) and content.source(
            index
        ) == other_content.source(index)
        return other.pictures.get((other_row, *key[1:])) if is_same else None

    def byte_size(self) -> int:
        """Return the approximate bytes of plan and pictures."""
        pixels = sum(picture.width() * picture.height() for picture in self.pictures.values())
        return _PLAN_BYTES * len(self.plan.rows) + 4 * pixels


def list_page(content: ListContent, visibility: RowVisibility, max_tokens: int) -> ListPage:
    rows, mask = content.rows, visibility.mask if len(visibility.mask) == len(content.rows) else b""
    plan = row_plan(
        len(rows), content.fates, content.cuts, content.recorded, visibility.opened, visibility.hidden,
        rows.tokens, content.token_mark, mask,
    )  # fmt: skip
    return ListPage(content, visibility, max_tokens, plan)


def page_cache() -> RecentCache[ListPage]:
    return RecentCache(CACHED_PAGES, CACHE_BYTES, ListPage.byte_size)
