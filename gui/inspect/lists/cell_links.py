"""The links at the foot of a summary's cell, by its state."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect

from core.presentation.lists.aligned_model import CellText
from core.presentation.model import Notice, NoticeAction
from core.presentation.screen_model import Screen
from gui.language import tr


@dataclass(frozen=True, slots=True)
class CellLink:
    """A painted link; without an action it shows the whole summary, or less of it again."""

    rect: QRect
    result: int
    label: str
    action: NoticeAction | None


@dataclass(frozen=True, slots=True)
class CellStates:
    """What the cells of a preview offer: whether a model writes summaries and what it costs,
    whether the settings may be changed now; ``failure`` is why the last run has no summary."""

    asks_model: bool = False
    price: str = ""
    is_provisional: bool = False
    is_outdated: bool = False
    failure: Notice | None = None

    @staticmethod
    def of(screen: Screen) -> CellStates:
        asks_model = screen.request.calls_model and not screen.is_beside
        return CellStates(
            asks_model, screen.request.price, screen.provisional, screen.request.stale
        )

    def actions(self, cell: CellText) -> tuple[NoticeAction, ...]:
        """Return the ways out of the state of a cell, the most useful first."""
        if self.is_provisional:
            return ()
        if not cell.state:
            return (NoticeAction(tr("Edit prompt…"), "prompts"),) if self.asks_model else ()
        if self.failure is not None:
            return self.failure.actions
        price = f" · {self.price}" if self.price else ""
        if self.is_outdated:
            return (
                NoticeAction(tr("Compact again") + price, "compact"),
                NoticeAction(tr("Put it back"), "undo"),
            )
        return (
            NoticeAction(tr("Compact") + price, "compact"),
            NoticeAction(tr("Use offline · free"), "compact-offline"),
            NoticeAction(tr("Show request"), "request"),
        )

    def words(self, cell: CellText) -> str:
        """Return what stands in a cell whose summary is not written: why, under a head."""
        if cell.state and self.failure is not None:
            return f"**{tr(self.failure.title).replace('*', '')}**\n{tr(self.failure.text)}"
        if cell.text or not cell.state:
            return cell.text
        return f"**{tr('Not written yet')}**\n{tr(cell.state)}"
