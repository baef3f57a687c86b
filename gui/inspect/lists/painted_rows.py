"""What a list has shown and may show again: rows in order, and the pictures that were painted of them."""

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
"""Pages that a list keeps, and the bytes that all but the one it shows may weigh."""
PICTURES = 160
"""Rows of which the page that is shown keeps pictures: those in sight and some that were."""
_ENTRY = 9  # bytes of a plan for each message

PictureKey = tuple[int, int, float, RowAppearance]
"""Row, width, pixel ratio and look of a picture."""


@dataclass(frozen=True, slots=True)
class RowVisibility:
    """What of a content is in sight: folds that are open, fates that are hidden, the mask of a filter."""

    opened: frozenset[OpenedKey] = frozenset()
    hidden: frozenset[int] = frozenset()
    mask: bytes = b""


@dataclass(slots=True)
class ListPage:
    """The rows of one content. ``most`` are the tokens of its largest message; the pictures belong to
    ``columns``, and are those of rows in sight once another page is shown."""

    content: ListContent
    choice: RowVisibility = field(default_factory=RowVisibility)
    most: int = 0
    plan: RowPlan = field(default_factory=RowPlan)
    columns: ColumnLayout | None = None
    basis: Hashable = None  # what the columns follow from, beside content and fonts
    pictures: dict[PictureKey, QPixmap] = field(default_factory=dict)
    name: object = field(default_factory=object)  # of its own, for what is known of this page

    def fits(self, content: ListContent, choice: RowVisibility) -> bool:
        """True where these are the rows of a content."""
        return self.choice == choice and self.content == content

    def lay_out(self, columns: ColumnLayout, basis: Hashable) -> None:
        """Take over other columns; pictures of rows that have moved go."""
        self.basis = basis
        if columns != self.columns:
            self.columns = columns
            self.pictures.clear()

    def forget_pictures(self) -> None:
        """Theme or fonts are others."""
        self.basis = None
        self.pictures.clear()

    def keep_only(self, rows: range) -> None:
        """Forget the pictures of other rows."""
        for key in [key for key in self.pictures if key[0] not in rows]:
            del self.pictures[key]

    def same_picture(self, row: int, key: PictureKey, other: ListPage) -> QPixmap | None:
        """The picture that another page has of the message in a row, if it looks the same here."""
        kind, place = self.plan.at(row)
        own, its = self.content, other.content
        if kind != RowKind.MESSAGE or own.rows is not its.rows or self.columns != other.columns:
            return None
        theirs = other.plan.row_of(place)
        if theirs < 0 or other.plan.kinds[theirs] != RowKind.MESSAGE:
            return None  # hidden there, or behind the row of a fold
        same = own.fate(place) == its.fate(place) and own.source(place) == its.source(place)
        return other.pictures.get((theirs, *key[1:])) if same else None

    def weight(self) -> int:
        """Bytes of plan and pictures, about; the content weighs on the screens."""
        pixels = sum(one.width() * one.height() for one in self.pictures.values())
        return _ENTRY * len(self.plan.rows) + 4 * pixels


def page_of(content: ListContent, choice: RowVisibility, most: int) -> ListPage:
    """The page of a content, made anew."""
    rows, mask = content.rows, choice.mask if len(choice.mask) == len(content.rows) else b""
    made = row_plan(
        len(rows), content.fates, content.cuts, content.recorded, choice.opened, choice.hidden,
        rows.tokens, content.mark, mask,
    )  # fmt: skip
    return ListPage(content, choice, most, made)


def page_cache() -> RecentCache[ListPage]:
    """A place for the pages of one list."""
    return RecentCache(PAGES, ROOM, ListPage.weight)
