"""The tab Strategies: strategies, presets and recorded compactions, and what two of them lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QStackedWidget, QWidget

from core.app.remote_methods import (
    CompareService,
    PreviewService,
    SideBySideService,
)
from core.common import number_format
from core.presentation.compare.columns import COMPARE
from core.presentation.compare.model import (
    RECORDED_GROUP,
    SUMMARIES_GROUP,
    ComparePage,
)
from core.presentation.compare.results import (
    compare_plot,
    default_pair,
    lost_fact_cells,
    must_pair_cells,
)
from core.presentation.dialog_model import CallQuestion
from core.presentation.losses_words import MUST_KEEP
from core.presentation.model import Notice
from core.settings.profile import OFFLINE
from core.trials.trial import (
    WRITTEN_BY,
    LostFact,
    MustPair,
    PairwiseLosses,
    RecordedComparison,
    TrialResult,
    trial_of,
)
from gui.aim_field import Aim, AimField, wrong_size
from gui.backend import BackendClient
from gui.compare.analysis_tab import AnalysisTab
from gui.compare.plot import PlotPane
from gui.compare.results_table import ResultEntry, ResultsModel, ResultsTable
from gui.inspect.run_pane import RunPane
from gui.language import tr
from gui.remote_call import PendingCall
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.message_row import notice_text
from gui.widgets.pickers import press_one
from gui.widgets.row_tree import RowTree
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import SECONDARY, mono_font_for, resized_font
from gui.widgets.view_layout import (
    column_of,
    column_of_widgets,
    horizontal_splitter,
    line_of_widgets,
    vertical_splitter,
)

_AIM_PLACE = 3  # in the head: before the buttons, after what is compared


class PairPane(QWidget):
    """Emits ``message_wanted(scope, index)``; the button opens A and B side by side."""

    message_wanted = Signal(str, int)

    def __init__(self) -> None:
        super().__init__()
        self.losses: PairwiseLosses | None = None
        self.names = ("", "")
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._names = ElidedLabel("", "strong", min_chars=12)
        self.open_button = push_button(tr("Open side by side"), "small")
        self.open_button.setToolTip(
            tr("Show the result of A beside that of B in Inspect.")
        )
        self.filters = [push_button("", "small") for _ in range(4)]
        group = QButtonGroup(self)
        for button in self.filters[1:]:
            button.setToolTip(
                tr(
                    "All facts that are gone from the result of today, needed later or not. "
                    "The backtest counts needed names at earlier points of the session."
                )
            )
        for button in self.filters:
            button.setCheckable(True)
            group.addButton(button)
        group.buttonClicked.connect(self._show_rows)
        self.facts = RowTree(tr("Facts that were lost"), 3, 1)
        self.facts.itemActivated.connect(self._on_opened)
        self.facts.restyled.connect(self._show_rows)
        self._lists: tuple[tuple[LostFact, ...], ...] = ((), (), ())
        self._shown: tuple[LostFact, ...] = ()
        self._musts: tuple[MustPair, ...] = ()
        self._text = text_label("", "muted")
        self.agent_text = text_label("", "secondary")
        for label in (self._text, self.agent_text):
            label.setWordWrap(True)
            label.setContentsMargins(12, 6, 12, 6)
        self._text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.removed_text = ElidedLabel("", "secondary", min_chars=12)
        self._pages = QStackedWidget()
        for widget in (self._text, self.facts):
            self._pages.addWidget(widget)
        self.facts.setToolTip(tr("Enter opens the row in Inspect"))
        self._chips = line_of_widgets(*self.filters, None, role="pane", gap=8)
        names = line_of_widgets(self._names, None, self.open_button, gap=8)
        foot = line_of_widgets(
            self.removed_text, role="foot", stretched=self.removed_text
        )
        parts = (names, self._chips, self.agent_text, self._pages, foot)
        self.setLayout(column_of(*parts, stretched=self._pages))
        self.show_losses(None)

    def show_losses(
        self, losses: PairwiseLosses | None, a: str = "", b: str = "", trouble: str = ""
    ) -> None:
        """Show what two results lost; else the ``trouble``, that it is computed, or how to mark
        two."""
        self.losses, self.names = losses, (a, b)
        is_pair = bool(a and b)
        self._names.show_text(
            tr("A {a}  and  B {b}").format(a=a, b=b)
            if is_pair
            else tr("No two rows are marked")
        )
        self.open_button.setEnabled(is_pair and a != b)
        self.agent_text.hide()
        self.removed_text.show_text("")
        self._chips.setVisible(losses is not None)
        self._pages.setCurrentWidget(self._text if losses is None else self.facts)
        hint = tr("Mark two rows: click A or B before a name, or press A and B.")
        text = trouble or (tr("Working …") if is_pair else hint)
        self._text.setText(text)
        self._text.setAccessibleName(text)
        if losses is None:
            return
        texts = (
            tr("{count} gone only in A"),
            tr("{count} only in B"),
            tr("{count} in both"),
        )
        self._lists = (losses.lost_in_a, losses.lost_in_b, losses.lost_in_both)
        must_button, *fact_buttons = self.filters
        differing = sum(pair.differs for pair in losses.musts)
        must_button.setText(tr("Must keep: {count} differ").format(count=differing))
        must_button.setVisible(bool(losses.musts))
        for button, label, facts in zip(fact_buttons, texts, self._lists, strict=True):
            button.setText(label.format(count=number_format.count(len(facts))))
        first = next((index for index, facts in enumerate(self._lists, 1) if facts), 1)
        press_one(self.filters, 0 if losses.musts else first)
        self._show_rows()

    def show_results(
        self, rows: Sequence[TrialResult], comparisons: Sequence[RecordedComparison]
    ) -> None:
        """Show how much text both removed, and what is known of a recorded compaction and its
        preset."""
        names = self.names
        text = tr("{letter} {count} tokens")
        removed = {
            row.name: number_format.count(
                max(0, row.sizes.before_tokens - row.sizes.tokens)
            )
            for row in rows
        }
        letters = [
            (letter, name)
            for letter, name in zip("AB", names, strict=True)
            if name in removed
        ]
        parts = "   ".join(
            text.format(letter=letter, count=removed[name]) for letter, name in letters
        )
        self.removed_text.show_text(tr("Text removed: {parts}").format(parts=parts))
        sentences = [
            " ".join(comparison.sentences)
            for comparison in comparisons
            if f"recorded {comparison.number}" in names and comparison.preset in names
        ]
        self.agent_text.setText("\n".join(sentences))
        self.agent_text.setVisible(bool(sentences))

    def _show_rows(self) -> None:
        """List the musts or the facts of the pressed button."""
        buttons = [button.isChecked() for button in self.filters]
        self._shown, self._musts = (), ()
        self.facts.clear()
        if buttons[0] and self.losses is not None:
            self._show_musts(self.losses.musts)
            return
        if any(buttons):
            self._shown = self._lists[buttons.index(True) - 1]
        else:
            self._shown = ()
        mono = mono_font_for(self.font())
        small = resized_font(self.font(), SECONDARY)
        spoken = tr("lost: {kind}, {text}, {location}")
        for kind, text, location, is_code in map(lost_fact_cells, self._shown):
            self.facts.add_row(
                (kind, text, location),
                glyph="close",
                tone="error",
                spoken=spoken.format(kind=kind, text=text, location=location),
                fonts=(small, mono if is_code else None, small),
            ).setToolTip(1, text)
        if self._shown:
            self.facts.select_row(0)

    def _show_musts(self, pairs: tuple[MustPair, ...]) -> None:
        self._musts = pairs
        for pair in pairs:
            glyphs, text, place, spoken = must_pair_cells(pair)
            self.facts.add_row((glyphs, text, place), spoken=spoken).setToolTip(
                1, pair.in_a.text
            )
        if pairs:
            self.facts.select_row(0)

    def _on_opened(self) -> None:
        row = self.facts.row
        if self.losses is None or row < 0:
            return
        if self._musts:
            message = self._musts[row].in_a.message
        else:
            message = self._shown[row].fact.first
        if message >= 0:
            self.message_wanted.emit(self.losses.scope, message)


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """What is remembered of a transcript: the compared names, the sort order ("" until one is
    chosen), the marked rows, the profiles that write the summaries."""

    names: tuple[str, ...] = ()
    sort_title: str = ""
    is_descending: bool = False
    a: str = ""
    b: str = ""
    current: str = ""
    profiles: tuple[str, ...] = (OFFLINE,)


class StrategiesTab(AnalysisTab):
    """Emits ``opened(name, settings)`` for a row to show in Inspect, and ``message_wanted(scope, index)``."""

    opened = Signal(str, tuple)
    message_wanted = Signal(str, int)
    name, title = "compare", "Strategies"
    state: _State
    page: ComparePage | None

    def __init__(self, backend: BackendClient, aim: Aim) -> None:
        self._aim = aim
        self.table = ResultsTable(tr("Results"), ResultsModel(COMPARE), has_marks=True)
        self.plots = PlotPane()
        super().__init__(
            backend,
            save_table=CompareService.save_table,
            tables=(self.table,),
            plot=self.plots.plot,
            state=_State(),
        )
        self._requested_pair = ("", "")
        self.aim = AimField(aim)
        self.no_aim = push_button(tr("No aim"), "link")
        for place, part in enumerate(
            (text_label(tr("Aim for")), self.aim, self.no_aim)
        ):
            self.head_row.insertWidget(_AIM_PLACE + place, part)
        self._agrees = False  # to the next request
        self._show_aim()
        self.pair = PairPane()
        both = vertical_splitter(self.plots, self.pair, shares=(55, 45))
        right = column_of_widgets(both, stretched=both)
        self.run = RunPane(right)
        self.run.question.request_button.hide()  # there are several
        self.run.agreed.connect(self._on_agreed)
        self.run.declined.connect(self._on_declined)
        self.set_content(horizontal_splitter(self.results_box, right, shares=(53, 47)))
        self.table.current_changed.connect(self._on_current)
        self.table.mark_requested.connect(self.mark)
        self.table.opened.connect(self._on_opened)
        self.table.sorted.connect(self._on_sorted)
        self.plots.plot.picked.connect(self.table.select)
        self.plots.plot.opened.connect(self._on_opened)
        aim.changed.connect(self._show_aim)
        aim.settled.connect(self._on_aim)
        self.aim.returnPressed.connect(aim.settle)
        self.no_aim.clicked.connect(self._on_no_aim)
        self.pair.message_wanted.connect(self.message_wanted)
        self.pair.open_button.clicked.connect(self._on_pair_wanted)

    def areas(self) -> tuple[QWidget, ...]:
        return (self.table, self.plot, self.pair.facts)

    @property
    def marked(self) -> tuple[str, str]:
        page, state = self.page, self.state
        if (state.a and state.b) or page is None:
            return state.a, state.b
        a, b = default_pair(page.rows, page.scope, self.plots.front, self.strategy)
        return state.a or a, state.b or b

    def clear(self) -> None:
        super().clear()
        self.table.sort_by(self.state.sort_title, self.state.is_descending)
        self.plots.show_scatter(None)
        self.pair.show_losses(None)

    def request_pages(self) -> PendingCall[None]:
        self._requested_pair = ("", "")
        names, profiles = self.state.names, self.state.profiles
        agrees, self._agrees = self._agrees, False
        if profiles == (OFFLINE,):
            return self.backend.call(
                self, CompareService.compare, names, self._aim.value
            )
        return self.backend.call(
            self, CompareService.compare_profiles, names, profiles, agrees
        )

    def _on_agreed(self) -> None:
        self._agrees = True
        self.start()

    def _on_declined(self) -> None:
        self.state = replace(self.state, profiles=(OFFLINE,))
        self.start()

    def _on_failed(self, notice: Notice) -> None:
        """Return to the summaries that cost nothing: what failed would fail again."""
        self.state = replace(self.state, profiles=(OFFLINE,))
        super()._on_failed(notice)

    def _show_question(self, question: CallQuestion | None) -> None:
        if question is None:
            self.run.clear()
        else:
            self._progress.hide()
            self.run.show_question(question)

    def _show_aim(self) -> None:
        self.no_aim.setVisible(bool(self._aim.text))

    def _on_aim(self) -> None:
        if self._aim.is_wrong:
            self.about_label.show_text(wrong_size())
        elif self.isVisible():
            if self._aim.text:  # which has no place beside several profiles
                self.state = replace(self.state, profiles=(OFFLINE,))
            self.start()

    def _on_no_aim(self) -> None:
        self._aim.type("")
        self._aim.settle()

    @property
    def rows(self) -> dict[str, TrialResult]:
        """The results by name."""
        if self.page is None:
            return {}
        return {row.name: row for row in self.page.rows}

    def _on_opened(self, name: str) -> None:
        row = self.rows.get(name)
        if row is not None and row.trial.profile:
            self.backend.call(self, PreviewService.use_trial, row.trial)
            self.inspect_wanted.emit()
            return
        settings = row.trial.settings if row is not None else ()
        self.opened.emit(name, settings)

    def show_page(self, page: ComparePage) -> None:
        self.plots.show_scatter(
            compare_plot(page.rows, page.scope, page.mark, page.aim)
        )
        if not self.state.sort_title:
            has_musts = any(row.losses.musts for row in page.rows)
            title = MUST_KEEP if has_musts else COMPARE.columns[0].label
            self.table.sort_by(title, is_descending=False)
        self.table.show_entries(self._entries(page), page.mark)
        self.table.select(self.state.current)
        self.show_step(page)
        # with profiles one of them counts as chosen, too
        profiles = filter(_is_profile, (one.value for one in page.choices))
        self.names_button.stays_ticked = frozenset(profiles)
        self.names_button.least = 3 if self.names_button.stays_ticked else 2
        self._show_question(page.question)
        if page.about_short:
            self.about_label.show_text(page.about, page.about_short)
        self._show_marks()

    def _entries(self, page: ComparePage) -> list[ResultEntry]:
        """Return a line for each name, group by group; one that no choice offers, as a program is,
        stands in the first group of strategies."""
        rows = {row.name: row for row in page.rows}
        group_of = {choice.value: choice.group for choice in page.choices}
        groups = list(dict.fromkeys(group_of.values()))
        others = (RECORDED_GROUP, SUMMARIES_GROUP)
        first = next((group for group in groups if group not in others), "")
        entries = []
        for name in page.names:
            group = group_of.get(trial_of(name).strategy, first)
            badge = tr("best trade-off") if name in self.plots.front else ""
            if group in groups:
                entries.append(ResultEntry(name, rows.get(name), group, badge))
        return sorted(entries, key=lambda entry: groups.index(entry.group))

    def mark(self, index: int, name: str) -> None:
        """Mark a row A (0) or B (1); if it has the other mark, the rows swap marks."""
        marks = list(self.marked)
        if marks[1 - index] == name:
            marks[1 - index] = marks[index]
        marks[index] = name
        self.state = replace(self.state, a=marks[0], b=marks[1])
        self._show_marks()

    def _show_marks(self) -> None:
        (a, b), current = self.marked, self.table.current
        self.table.show_marks(a, b)
        self.plots.plot.set_marked(a, b, current.name if current else "")
        if self.page is None:
            return
        if self.pair.names != (a, b):
            self.pair.show_losses(None, a, b)
        if {a, b} <= self.rows.keys() and (a, b) != self._requested_pair:
            self._requested_pair = a, b
            self.backend.call(self, CompareService.pair, a, b).done(
                self._on_pair
            ).failed(self._on_no_pair)

    def _on_pair(self, losses: PairwiseLosses | None) -> None:
        if losses is None:  # the settings have changed since
            self._requested_pair = ("", "")
        elif (losses.a, losses.b) == self.marked:
            self._show_pair(losses, losses.a, losses.b)

    def _on_no_pair(self, notice: Notice) -> None:
        if self._requested_pair == self.marked:
            self._show_pair(None, *self._requested_pair, notice_text(notice))

    def _show_pair(
        self, losses: PairwiseLosses | None, a: str, b: str, trouble: str = ""
    ) -> None:
        if self.page is not None:
            self.pair.show_losses(losses, a, b, trouble)
            self.pair.show_results(self.page.rows, self.page.comparisons)

    def _on_current(self, name: str) -> None:
        self.state = replace(self.state, current=name)
        self.plots.plot.set_marked(*self.marked, name)

    def _on_sorted(self) -> None:
        results = self.table.results
        self.state = replace(
            self.state,
            sort_title=results.sort_title,
            is_descending=results.is_descending,
        )

    def _on_pair_wanted(self) -> None:
        a, b = (self.rows.get(name) for name in self.marked)
        if a is not None and b is not None:
            self.backend.call(self, SideBySideService.results, a.trial, b.trial)
            self.inspect_wanted.emit()

    def choose_names(self, names: tuple[str, ...]) -> None:
        """Compare these strategies, and the summaries of the profiles among the names."""
        profiles = [one.removeprefix(WRITTEN_BY) for one in names if _is_profile(one)]
        names = tuple(one for one in names if not _is_profile(one))
        a, b = (mark if mark in names else "" for mark in (self.state.a, self.state.b))
        writers = tuple(profiles) or (OFFLINE,)
        self.state = replace(self.state, names=names, a=a, b=b, profiles=writers)
        if self._aim.text and writers != (OFFLINE,):
            self._on_no_aim()
        else:
            self.start()


def _is_profile(name: str) -> bool:
    return name.startswith(WRITTEN_BY)
