"""Tasks with the Losses tab on the real worker: pins and Undo, lost facts on the ruler, decay."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from core.presentation.inspector_model import DECAY_ROUNDS, LossesPage
from core.presentation.lists.row_plan import RowFlag
from core.settings.schema import LIMIT
from core.strategies.excerpt import NAME as EXCERPT
from core.strategies.top_down import NAME as TRUNCATES
from gui.inspect.inspector.losses_tab import LossesTab
from gui.window_content import WindowContent
from tests.journeys.walks import (
    LEFT,
    open_transcript,
    pick_strategy,
    settle,
    write_transcript,
)
from tests.support.builders import ai, human
from tests.support.narrowing import known

CODE = (
    "```python\nimport part_{0}\nfor row in part_{0}.rows():\n    print(row, {0})\n```"
)
TALK = (
    human("Build the importer in src/importer.py. Never push to main."),
    *(
        one
        for n in range(12)
        for one in (
            ai(f"Step {n}:\n{CODE.format(n)}\n" + "words " * 20),
            human(f"Only keep part_{n}."),
        )
    ),
    human("Always keep the flag `legacy_mode`."),
    ai("I will."),
)


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    return write_transcript(tmp_path / "talk.json", *TALK)


def judged(qtbot: QtBot, space: WindowContent) -> tuple[LossesTab, LossesPage]:
    space.page.show_tab("losses")
    settle(qtbot, space)
    tab = space.page.inspector.losses
    assert tab.page is not None
    return tab, tab.page


def kept(space: WindowContent) -> frozenset[int]:
    return frozenset(space.page.lists.flagged_messages(RowFlag.KEEP))


def test_facts_are_pinned_from_the_tab_and_undo_takes_it_back(
    qtbot: QtBot, space: WindowContent, talk: Path
) -> None:
    open_transcript(qtbot, space, talk)
    tab, _ = judged(qtbot, space)
    fact = tab.fact_list.fact_model.rows[0]
    tab.fact_list.setCurrentIndex(tab.fact_list.fact_model.index(0))
    tab.fact_list.findChildren(QPushButton)[-1].click()
    settle(qtbot, space)
    assert kept(space) == {fact.source_index}
    assert tab.fact_list.fact_model.is_pinned(fact)
    notice = space.bar.notices[0]
    assert (notice.title, notice.actions[0].label) == (
        f"Pinned #{fact.source_index + 1}.",
        "Undo",
    )
    tab.fact_list.setFocus()
    tab.fact_list.setCurrentIndex(tab.fact_list.fact_model.index(0))
    QTest.keyClick(tab.fact_list, Qt.Key.Key_P)
    settle(qtbot, space)
    assert kept(space) == frozenset()
    space.backend.set_strategy(EXCERPT)
    settle(qtbot, space)
    assert known(space.page.preview).strategy == EXCERPT
    space.window.actions_by_id["pin-messages"].trigger()
    settle(qtbot, space)
    assert len(kept(space)) > 1
    assert space.bar.notices[0].title.startswith(
        f"Pinned {len(kept(space))} messages of yours"
    )
    space.window.actions_by_id["undo"].trigger()
    settle(qtbot, space)
    assert kept(space) == frozenset()


def test_the_ruler_says_what_was_lost_and_the_tab_what_more_folds_leave(
    qtbot: QtBot, space: WindowContent, talk: Path
) -> None:
    open_transcript(qtbot, space, talk)
    space.backend.set_value(LIMIT, 500)
    pick_strategy(qtbot, space, TRUNCATES)
    tab, page = judged(qtbot, space)
    ruler, place = space.page.ruler, page.places.indices[0]
    frame = known(ruler.frame())
    sums = frame.content.before.sums
    spot = QPointF(
        frame.x((sums[place] + sums[place + 1]) / 2), frame.lanes.strip[0] + 2
    )
    assert page.places.words[0].splitlines()[0] in ruler.tip(spot)
    assert ruler.tip(spot).startswith("Lost in #")
    QTest.mouseClick(ruler, LEFT, pos=spot.toPoint())
    settle(qtbot, space)
    assert space.page.selected[0] == "before"
    assert space.page.selected[1] == place
    space.window.actions_by_id["compact-again"].trigger()
    assert tab.cancel_button.isVisibleTo(tab)
    settle(qtbot, space)
    assert [label for label, _ in tab.again_list.texts] == [
        f"after {n}" for n in range(1, DECAY_ROUNDS + 1)
    ]
    own = next(bar for bar in page.bars if bar.kind == "your message")
    assert tab.again_list.texts[0][1] == own.kept
    assert "After 2 compactions: " in tab.again_list.toolTip()
    space.backend.set_value(LIMIT, 600)
    settle(qtbot, space)
    assert space.window.actions_by_id["compact-again"].isEnabled()
    assert not tab.again_list.isVisibleTo(tab)
