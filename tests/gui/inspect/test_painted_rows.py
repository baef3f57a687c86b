"""Row pictures that one page of a list reuses from another."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QPixmap
from pytestqt.qtbot import QtBot

from core.presentation.lists.row_plan import RowKind
from gui.inspect.lists.list_content import side_content
from gui.inspect.lists.message_row import RowAppearance
from gui.inspect.lists.painted_rows import ListPage, PictureKey, RowVisibility, list_page
from tests.gui.fakes import fake_screen

LOOK = RowAppearance()


def key(row: int) -> PictureKey:
    return row, 300, 1.0, LOOK


@pytest.fixture
def folded(qtbot: QtBot) -> ListPage:
    """A page with a fold, every row of it painted."""
    page = list_page(side_content(fake_screen(), "before"), RowVisibility(), 1)
    for row in range(len(page.plan)):
        page.pictures[key(row)] = QPixmap(1, 1)
    return page


def test_a_message_that_was_folded_away_has_no_picture_there(folded: ListPage) -> None:
    fold = folded.plan.folded_runs[0]
    opened = list_page(folded.content, RowVisibility(frozenset({fold.opened_key})), 1)
    out_of_fold, in_sight = opened.plan.row_of(fold.start), opened.plan.row_of(fold.start - 1)
    assert folded.plan.kinds[folded.plan.row_of(fold.start)] == RowKind.FOLD
    assert opened.same_picture(out_of_fold, key(out_of_fold), folded) is None
    assert opened.same_picture(in_sight, key(in_sight), folded) is not None
