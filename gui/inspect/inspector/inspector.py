"""The inspector: four tabs about the selected message and what is lost."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from core.common.number_format import UNKNOWN
from core.presentation.model import LintReport, MessageBody, WhyPage
from core.presentation.summary_check.model import SummaryPage
from gui.inspect.inspector.fidelity_tab import FidelityTab
from gui.inspect.inspector.lint_tab import LintTab
from gui.inspect.inspector.message_tab import MessageTab
from gui.inspect.inspector.why_tab import WhyTab
from gui.language import tr
from gui.widgets.theme import Theme

FIDELITY = "fidelity"
TABS = ("message", "why", FIDELITY, "lint")


class Inspector(QWidget):
    """Only the visible tab is laid out; selecting another message keeps the tab."""

    link_activated = Signal(str)  # "before:84", "after:12", "cut:bottom"
    lint_activated = Signal(str, int)  # side, index
    provider_changed = Signal(str)
    full_text_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._body: MessageBody | None = None
        self._page: WhyPage | None = None
        self._summary: SummaryPage | None = None
        self.message, self.why, self.fidelity, self.lint = MessageTab(), WhyTab(), FidelityTab(), LintTab()
        self._pages = (self.message, self.why, self.fidelity, self.lint)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setUsesScrollButtons(False)
        self.tabs.setAccessibleName(tr("Inspector"))
        for name, page in zip(TABS, self._pages, strict=True):
            self.tabs.addTab(page, tr(name.capitalize()))
        self.tabs.tabBar().setExpanding(False)
        self.tabs.tabBar().setDrawBase(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.tabs)
        self.tabs.currentChanged.connect(self._fill)
        self.message.full_text_requested.connect(self.full_text_requested)
        self.message.sentences.link_activated.connect(self.link_activated)
        self.why.link_activated.connect(self.link_activated)
        self.fidelity.link_activated.connect(self.link_activated)
        self.lint.activated.connect(self.lint_activated)
        self.lint.provider_changed.connect(self.provider_changed)
        self.lint.count_changed.connect(self._on_count)
        self.setMinimumWidth(220)

    def set_theme(self, theme: Theme) -> None:
        for tab in self._pages:
            tab.set_theme(theme)

    @property
    def current_tab(self) -> str:
        return TABS[self.tabs.currentIndex()]

    def show_tab(self, name: str) -> None:
        """Raise one of TABS."""
        self.tabs.setCurrentIndex(TABS.index(name))

    def find_text(self) -> None:
        self.show_tab("message")
        self.message.find_text()

    def show_body(self, body: MessageBody) -> None:
        """Show a message and the reason of its fate; the visible tab stays."""
        if self._summary is not None and not _is_same(self._body, body):
            self._summary = None  # it belongs to another message or preview
        self._body = body
        self._page = self._with_summary(body)
        self._fill()

    def show_summary(self, page: SummaryPage) -> None:
        """Show the check and the sentence sources of the summary that is shown."""
        body = self._body
        if body is None or (body.side, body.index) != ("after", page.result_index):
            return
        is_shown = self._page == self._with_summary(body)  # and not a cut
        self._summary = page
        if is_shown:
            self._page = self._with_summary(body)
        self._fill()

    def _with_summary(self, body: MessageBody) -> WhyPage:
        """Return the reason of a message's fate, followed by the check of a summary."""
        check_sections = self._summary.sections if self._summary is not None else ()
        return (
            replace(body.why, sections=(*body.why.sections, *check_sections)) if check_sections else body.why
        )

    def show_why(self, page: WhyPage) -> None:
        self._page = page
        self.show_tab("why")
        self._fill()

    def set_lint(self, sheets: tuple[LintReport, ...], provider: str) -> None:
        """Show the findings for an API; the tab shows their number."""
        self.lint.set_reports(sheets, provider)

    def clear(self) -> None:
        self._body = self._page = self._summary = None
        self._fill()

    def _fill(self) -> None:
        tab = self.tabs.currentWidget()
        if tab is self.message:
            self.message.show_body(self._body)
            self.message.sentences.show_page(self._summary)
        elif tab is self.why:
            self.why.show_page(self._page)

    def _on_count(self, count: int) -> None:
        title = tr("Lint {count:,}").format(count=count) if count else tr("Lint")
        self.tabs.setTabText(TABS.index("lint"), title if count >= 0 else f"{tr('Lint')} {UNKNOWN}")


def _is_same(old: MessageBody | None, new: MessageBody) -> bool:
    """Return whether both are the same message of the same preview."""
    return old is not None and (old.side, old.index, old.why) == (new.side, new.index, new.why)
