"""The inspector: the selected message, what is lost, and what an API would refuse."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QLabel, QTabBar, QTabWidget, QWidget

from core.common.number_format import plural
from core.presentation.inspector_model import (
    LossesPage,
    MessageBody,
    MessageChanges,
    SummaryPage,
    WhyPage,
)
from gui.inspect.inspector.checks_tab import ChecksTab
from gui.inspect.inspector.losses_tab import LossesTab
from gui.inspect.inspector.message_tab import MessageTab
from gui.language import tr
from gui.widgets.text_labels import set_style_property
from gui.widgets.view_layout import column_of

TABS = MESSAGE, LOSSES, CHECKS = "message", "losses", "checks"
MIN_WIDTH = 220
FORMER_TABS = {"why": MESSAGE, "lint": CHECKS}
"""Former names, which ``foldline shot --tab`` still takes; Why is a link of Message."""


class CountBadge(QLabel):
    """What stands beside the name of a tab: a count on red, or that it is not known. It has the
    same width with one digit and with two, so that no tab moves."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "badge")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._fit()

    def show_count(self, text: str) -> None:
        self.setText(text)
        tone = "error" if text.isdigit() else "unknown"
        set_style_property(self, "tone", tone if text else "")

    def _fit(self) -> None:
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance("99") + 4)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()


class Inspector(QWidget):
    """Selecting another message keeps the tab; while nothing is selected, Losses takes Message's
    place."""

    link_activated = Signal(str)  # "before:84", "after:12", "cut:bottom"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._body: MessageBody | None = None
        self._summary: SummaryPage | None = None
        self._replaces_message = True  # Losses is shown because nothing is selected
        self.message, self.losses, self.checks = MessageTab(), LossesTab(), ChecksTab()
        self._pages = (self.message, self.losses, self.checks)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setUsesScrollButtons(False)
        self.tabs.setAccessibleName(tr("Inspector"))
        for name, page in zip(TABS, self._pages, strict=True):
            self.tabs.addTab(page, tr(name.capitalize()))
        self._badges = {name: CountBadge(self.tabs) for name in (LOSSES, CHECKS)}
        for name, badge in self._badges.items():
            self.tabs.tabBar().setTabButton(
                self._place(name), QTabBar.ButtonPosition.RightSide, badge
            )
        self.tabs.tabBar().setElideMode(Qt.TextElideMode.ElideRight)
        self.tabs.tabBar().setExpanding(False)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setCurrentIndex(TABS.index(LOSSES))
        self.setLayout(column_of(self.tabs))
        self.tabs.tabBarClicked.connect(self._on_tab_clicked)
        for tab in (self.message, self.losses):
            tab.link_activated.connect(self.link_activated)
        self.checks.count_changed.connect(self._on_count)
        self.setMinimumWidth(MIN_WIDTH)

    @property
    def current_tab(self) -> str:
        """One of TABS; "" while tuning is shown, which is the first tab in a narrow window."""
        page = self.tabs.currentWidget()
        return next(
            (name for name, tab in zip(TABS, self._pages, strict=True) if tab is page),
            "",
        )

    def _place(self, name: str) -> int:
        return self.tabs.indexOf(self._pages[TABS.index(name)])

    @property
    def page(self) -> WhyPage | None:
        """The page on the message, cut, run or recorded compaction that is shown."""
        return self.message.page

    def show_tab(self, name: str) -> None:
        """Raise one of TABS, or of FORMER_TABS."""
        self._replaces_message = False
        self.tabs.setCurrentIndex(self._place(FORMER_TABS.get(name, name)))
        if name == "why":
            self.message.show_why(True)

    def show_body(self, body: MessageBody) -> None:
        """Show a message and the reason of its fate."""
        if self._summary is not None and not _is_same(self._body, body):
            self._summary = None  # it belongs to another message or preview
        self._body = body
        self._show_message()
        if self._replaces_message and self.current_tab:
            self.show_tab(MESSAGE)

    def show_changes(self, changes: MessageChanges) -> None:
        self.message.show_changes(changes)

    def show_summary(self, page: SummaryPage) -> None:
        """Show the check and the sentence sources of the summary that is shown."""
        body = self._body
        if body is None or (body.side, body.index) != ("after", page.result_index):
            return
        self._summary = page
        if self.message.body is not None:  # and not a cut
            self._show_message()

    def _show_message(self) -> None:
        body, summary = self._body, self._summary
        if body is not None and summary is not None:
            why = replace(body.why, sections=(*body.why.sections, *summary.sections))
            body = replace(body, why=why)
        self.message.show_body(body)
        self.message.sentences.show_page(summary)

    def show_why(self, page: WhyPage) -> None:
        """Show the page of a cut, a run or a recorded compaction in the place of a message."""
        self.show_tab(MESSAGE)
        self.message.show_page(page)

    def show_losses(self, page: LossesPage | None) -> None:
        self.losses.show_page(page)
        count = ""
        if page is not None:
            if page.gone is None:
                count = "?"
            else:
                count = str(page.gone or "")
        self._show_count(LOSSES, count)

    def clear(self) -> None:
        self._body = self._summary = None
        self.message.show_body(None)
        if self.current_tab == MESSAGE:
            self.tabs.setCurrentIndex(self._place(LOSSES))
            self._replaces_message = True

    def _on_tab_clicked(self) -> None:
        self._replaces_message = False

    def _on_count(self, count: int) -> None:
        self._show_count(CHECKS, "?" if count < 0 else str(count or ""))
        if self.checks.report is not None:
            label = self.checks.report.label
        else:
            label = ""
        if count > 0:
            tip = tr("{faults} for {api}").format(
                faults=plural(count, "fault"), api=label
            )
        else:
            tip = ""
        self.tabs.setTabToolTip(
            self._place(CHECKS), tip
        )  # of one API; the status row has all

    def _show_count(self, name: str, count: str) -> None:
        self._badges[name].show_count(count)
        self.tabs.tabBar().setAccessibleTabName(
            self._place(name), f"{tr(name.capitalize())} {count}".strip()
        )


def _is_same(old: MessageBody | None, new: MessageBody) -> bool:
    """Return whether both are the same message of the same preview."""
    return old is not None and (old.side, old.index, old.why) == (
        new.side,
        new.index,
        new.why,
    )
