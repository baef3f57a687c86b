"""The inspector: the selected message, what is lost, and what an API would refuse."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QResizeEvent
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
from gui.inspect.inspector.losses_tab import LossesTab, takes_drag
from gui.inspect.inspector.message_tab import MessageTab
from gui.language import tr
from gui.widgets.text_labels import set_style_property
from gui.widgets.view_layout import column_of

TABS = MESSAGE, LOSSES, CHECKS = "message", "losses", "checks"
MIN_WIDTH = 220
DENSE_PADDING = 5
FORMER_TABS = {"why": MESSAGE, "lint": CHECKS}
"""Former names, which ``foldline shot --tab`` still takes; Why is a link of Message."""

_PADDINGS = 12, 8, DENSE_PADDING
"""Pixels beside the name of a tab, as the style sheet has them."""
_BOLD_SLACK = 10  # pixels by which another tab in bold may be wider
_DOT = "•"


class CountBadge(QLabel):
    """What stands beside the name of a tab: a count on red, or that it is not known. It has the
    same width with one digit and with two, so that no tab moves."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "badge")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._count, self._is_dot = "", False
        self._fit()

    def show_count(self, text: str) -> None:
        self._count = text
        tone = "error" if text.isdigit() else "unknown"
        set_style_property(self, "tone", tone if text else "")
        self._fit()

    def show_as_dot(self, is_dot: bool) -> None:
        """Show a dot where there is no room for the count."""
        if is_dot != self._is_dot:
            self._is_dot = is_dot
            self._fit()

    @property
    def saved_by_dot(self) -> int:
        """Pixels that the dot is narrower than the count."""
        metrics = self.fontMetrics()
        widest = max("99", self._count, key=metrics.horizontalAdvance)
        return metrics.horizontalAdvance(widest) - metrics.horizontalAdvance(_DOT)

    def _fit(self) -> None:
        widest = "99"
        text = self._count
        if self._is_dot:
            widest = _DOT
            text = _DOT if text else ""
        self.setText(text)
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance(widest) + 4)
        self.adjustSize()  # a tab is as wide as what stands beside its name is

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()


class InspectorTabs(QTabWidget):
    """Tabs of which none is elided: they give up padding, then the digits of their counts. The
    least width is that of the last of these forms."""

    def __init__(self) -> None:
        super().__init__()
        self.badges: dict[str, CountBadge] = {}
        self._padding, self._has_dots = _PADDINGS[0], False
        self.setDocumentMode(True)
        self.setUsesScrollButtons(False)
        self.setAccessibleName(tr("Inspector"))
        bar = self.tabBar()
        bar.setElideMode(Qt.TextElideMode.ElideRight)
        bar.setExpanding(False)
        bar.setDrawBase(False)

    def add_badge(self, name: str, index: int) -> None:
        """Put a count beside the name of a tab."""
        badge = CountBadge(self)
        self.badges[name] = badge
        side = QTabBar.ButtonPosition.RightSide
        self.tabBar().setTabButton(index, side, badge)

    def show_count(self, name: str, count: str) -> None:
        self.badges[name].show_count(count)
        self.fit()

    def width_of_tabs(self, padding: int, *, has_dots: bool = False) -> int:
        """Return the pixels that the tabs need, whichever of them is in bold."""
        width = self.tabBar().sizeHint().width() + _BOLD_SLACK
        width += 2 * self.count() * (padding - self._padding)
        saved = sum(badge.saved_by_dot for badge in self.badges.values())
        return width + saved * (self._has_dots - has_dots)

    def fit(self) -> None:
        """Show the first form that has room."""
        least = self.width_of_tabs(DENSE_PADDING, has_dots=True)
        self.setMinimumWidth(max(MIN_WIDTH, least))
        forms = [(padding, False) for padding in _PADDINGS]
        last = (DENSE_PADDING, True)
        fitting = (
            (padding, has_dots)
            for padding, has_dots in forms
            if self.width_of_tabs(padding, has_dots=has_dots) <= self.width()
        )
        form = next(fitting, last)
        if form == (self._padding, self._has_dots):
            return
        self._padding, self._has_dots = form
        for badge in self.badges.values():
            badge.show_as_dot(self._has_dots)
        set_style_property(self.tabBar(), "padding", str(self._padding))
        self.setElideMode(self.elideMode())  # measures the tabs again

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def tabInserted(self, index: int) -> None:
        super().tabInserted(index)
        self.fit()

    def tabRemoved(self, index: int) -> None:
        super().tabRemoved(index)
        self.fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.fit()


class Inspector(QWidget):
    """Selecting another message keeps the tab; while nothing is selected, Losses takes Message's
    place."""

    link_activated = Signal(str)  # "before:84", "after:12", "cut:bottom"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._body: MessageBody | None = None
        self._summary: SummaryPage | None = None
        self._replaces_message = True  # Losses is shown because nothing is selected
        self.message = MessageTab()
        self.losses = LossesTab()
        self.checks = ChecksTab()
        self._pages = (self.message, self.losses, self.checks)
        self.tabs = InspectorTabs()
        for name, page in zip(TABS, self._pages, strict=True):
            self.tabs.addTab(page, tr(name.capitalize()))
        for name in (LOSSES, CHECKS):
            self.tabs.add_badge(name, self._tab_index(name))
        self.tabs.setCurrentIndex(TABS.index(LOSSES))
        self.setLayout(column_of(self.tabs))
        self.setAcceptDrops(True)
        self.tabs.tabBarClicked.connect(self._on_tab_clicked)
        for tab in (self.message, self.losses):
            tab.link_activated.connect(self.link_activated)
        self.checks.count_changed.connect(self._on_count)

    @property
    def current_tab(self) -> str:
        """One of TABS; "" while tuning is shown, which is the first tab in a narrow window."""
        page = self.tabs.currentWidget()
        return next(
            (name for name, tab in zip(TABS, self._pages, strict=True) if tab is page),
            "",
        )

    def _tab_index(self, name: str) -> int:
        return self.tabs.indexOf(self._pages[TABS.index(name)])

    @property
    def page(self) -> WhyPage | None:
        """The page on the message, cut, run or recorded compaction that is shown."""
        return self.message.page

    def show_tab(self, name: str) -> None:
        """Raise one of TABS, or of FORMER_TABS."""
        self._replaces_message = False
        place = self._tab_index(FORMER_TABS.get(name, name))
        if place >= 0:  # Message may stand under the list
            self.tabs.setCurrentIndex(place)
        if name == "why":
            self.message.show_why(True)

    def take_message(self) -> MessageTab:
        """Return Message, to be shown under the list; it is no tab any more."""
        self.tabs.removeTab(self._tab_index(MESSAGE))
        self.message.offer_other_pane(is_below=True)
        return self.message

    def put_message_back(self) -> None:
        """Make Message a tab again, and show it."""
        self.tabs.insertTab(self._tab_index(LOSSES), self.message, tr("Message"))
        self.message.offer_other_pane(is_below=False)
        self.show_tab(MESSAGE)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Show where a text or a message can be dropped: the press on it has opened Message."""
        if takes_drag(event.mimeData()):
            self.show_tab(LOSSES)
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.losses.must.dropEvent(event)

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
            self.tabs.setCurrentIndex(self._tab_index(LOSSES))
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
            self._tab_index(CHECKS), tip
        )  # of one API; the status row has all

    def _show_count(self, name: str, count: str) -> None:
        self.tabs.show_count(name, count)
        self.tabs.tabBar().setAccessibleTabName(
            self._tab_index(name), f"{tr(name.capitalize())} {count}".strip()
        )


def _is_same(old: MessageBody | None, new: MessageBody) -> bool:
    """Return whether both are the same message of the same preview."""
    return old is not None and (old.side, old.index, old.why) == (
        new.side,
        new.index,
        new.why,
    )
