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

PAGES, ROOM = 4, 24_000_000
"""The number of cached pages, and the bytes of all but the shown one."""
PICTURES = 160
"""The number of row pictures cached for the shown page."""
_ENTRY = 9  # bytes of a plan per message

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
    """The rows of one content. ``most`` are the tokens of its largest message; ``pictures`` belong to
    ``columns``; pages that are not shown keep only those of the rows that were visible."""

    content: ListContent
    choice: RowVisibility = field(default_factory=RowVisibility)
    most: int = 0
    plan: RowPlan = field(default_factory=RowPlan)
    columns: ColumnLayout | None = None
    basis: Hashable = None  # what the columns depend on, besides content and fonts
    pictures: dict[PictureKey, QPixmap] = field(default_factory=dict)
    name: object = field(default_factory=object)  # identifies this page in caches

    def fits(self, content: ListContent, choice: RowVisibility) -> bool:
        """True if these are the rows of a content."""
        return self.choice == choice and self.content == content

    def lay_out(self, columns: ColumnLayout, basis: Hashable) -> None:
        """Set other columns; pictures of moved rows are dropped."""
        self.basis = basis
        if columns != self.columns:
            self.columns = columns
            self.pictures.clear()

    def forget_pictures(self) -> None:
        self.basis = None
        self.pictures.clear()

    def keep_only(self, rows: range) -> None:
        """Drop the pictures of other rows."""
        for key in [key for key in self.pictures if key[0] not in rows]:
            del self.pictures[key]

    def same_picture(self, row: int, key: PictureKey, other: ListPage) -> QPixmap | None:
        """Return another page's picture of the same message, if it looks the same here."""
        kind, place = self.plan.at(row)
        content, other_content = self.content, other.content
        if kind != RowKind.MESSAGE or content.rows is not other_content.rows or self.columns != other.columns:
            return None
        other_row = other.plan.row_of(place)
        if other_row < 0 or other.plan.kinds[other_row] != RowKind.MESSAGE:
            return None  # hidden there, or folded
        same = content.fate(place) == other_content.fate(place) and content.source(
            place
        ) == other_content.source(place)
        return other.pictures.get((other_row, *key[1:])) if same else None

    def weight(self) -> int:
        """Return the approximate bytes of plan and pictures."""
        pixels = sum(one.width() * one.height() for one in self.pictures.values())
        return _ENTRY * len(self.plan.rows) + 4 * pixels


def page_of(content: ListContent, choice: RowVisibility, most: int) -> ListPage:
    rows, mask = content.rows, choice.mask if len(choice.mask) == len(content.rows) else b""
    plan = row_plan(
        len(rows), content.fates, content.cuts, content.recorded, choice.opened, choice.hidden,
        rows.tokens, content.mark, mask,
    )  # fmt: skip
    return ListPage(content, choice, most, plan)


def page_cache() -> RecentCache[ListPage]:
    return RecentCache(PAGES, ROOM, ListPage.weight)
