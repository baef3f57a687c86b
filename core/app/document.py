"""The open transcript in the worker: the conversation and what was made of it so far."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from core.analysis.fidelity.evaluate import fidelity_of, known_fidelity, source_facts
from core.analysis.fidelity.model import Fidelity, SourceFact
from core.app.loading import CountedConversation
from core.common.garbage_collection import paused_collection
from core.configuration.layers import SettingLayers
from core.llm.catalog import choose_model
from core.llm.request_size import PLAIN
from core.presentation.lists import row_texts as rows
from core.presentation.model import MessageRows
from core.presentation.preview_columns_cache import ResultColumns
from core.presentation.tuning.change_effects import SettingsChange
from core.preview.context import next_request
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.preview.result_checks import are_known, with_checks
from core.settings.values import Values
from core.tokens.counter import TokenCounter, counter_for
from core.tokens.counting_process import CountingProcess
from core.tokens.recorded_compactions import MeasuredCompaction, measure_compactions
from core.transcript.model import Conversation, Progress
from core.transcript.scopes import ALL, scopes

_KEPT = 4
"""Screens whose columns are kept, as many as the window keeps: switches thrown forth and back."""


@dataclass(slots=True)
class OpenFile:
    """Remembers counters, rows and previews. ``settled`` is the last whole preview, ``shown`` the
    last one, perhaps a draft; ``change`` the last change of settings; ``written`` what models wrote,
    by what it depends on; ``tally`` counts for it; ``columns`` are those of the last screens."""

    conversation: Conversation
    title: str
    why: str = ""
    settled: Preview | None = None
    shown: Preview | None = None
    change: SettingsChange | None = None
    written: dict[Hashable, Preview] = field(default_factory=dict)
    tally: CountingProcess | None = None
    stages: StageCache = field(default_factory=StageCache)
    _counters: dict[str, TokenCounter] = field(default_factory=dict)
    _rows: dict[tuple[str, str, float], MessageRows] = field(default_factory=dict)
    _measured: dict[tuple[str, float], tuple[MeasuredCompaction, ...]] = field(default_factory=dict)
    columns: tuple[ResultColumns, ...] = ()

    @classmethod
    def of(cls, counted: CountedConversation, title: str, tally: CountingProcess | None) -> OpenFile:
        """What was just read and counted."""
        conversation, model = counted.conversation, counted.model
        rows, counters = {(ALL, model, PLAIN.factor): counted.rows}, {model: counted.counter}
        return cls(conversation, title, counted.why, tally=tally, _rows=rows, _counters=counters)

    def model(self, override: str = "") -> str:
        """The model that counts: asked for, else that of the file."""
        return choose_model(self.conversation, override)

    def counter(self, model: str) -> TokenCounter:
        """The counter of a model, the same that the previews use."""
        if model not in self._counters:
            self._counters[model] = counter_for(model, self.tally)
        self.stages.results["counter", model] = self._counters[model]
        return self._counters[model]

    def counter_of(self, made: Preview) -> TokenCounter:
        """The counter that gives the figures of a preview."""
        return made.sizing.counter(self.counter(made.window.model))

    def mark(self, override: str = "") -> str:
        """How tokens are counted: "=", "≈" or "–"."""
        return self.counter(self.model(override)).method.mark

    def preview(self, layers: SettingLayers, ask: PreviewOptions) -> Preview:
        """A preview of the conversation; stages that did not change are not made again."""
        self.counter(self.model(ask.model))
        return self._preview(layers.resolve(), ask)

    def preview_of(self, made: Preview, ask: PreviewOptions) -> Preview:
        """A preview under the settings of another one, asked otherwise."""
        return self._preview(made.values, ask)

    def preview_of_values(self, values: Values, ask: PreviewOptions) -> Preview:
        """A preview under settings that are no layers."""
        self.counter(self.model(ask.model))
        return self._preview(values, ask)

    def checks_are_known(self, made: Preview) -> bool:
        """True where the result of a preview was checked before."""
        return are_known(made, self.stages)

    def checked(self, made: Preview, progress: Progress) -> Preview:
        """The preview with its checks; Cancelled passes through."""
        with paused_collection():
            return with_checks(made, self.counter(made.window.model), self.stages, progress)

    def _preview(self, values: Values, ask: PreviewOptions) -> Preview:
        if ask.choose is not None:  # a model is called, which may take minutes
            return compute_preview(self.conversation, values, ask, self.stages)
        with paused_collection():
            return compute_preview(self.conversation, values, ask, self.stages)

    @property
    def exported(self) -> Preview | None:
        """What an export writes: what is seen where that really happened, else the last whole preview."""
        return self.shown if self.shown is not None and self.shown.beside else self.settled

    def has_changed(self) -> bool:
        """True where the file on disk is not as it was when it was read."""
        document = self.conversation.document
        try:
            status = document.path.stat() if document.path is not None else None
        except OSError:
            return False
        return status is not None and (status.st_size, status.st_mtime_ns) != (
            document.size,
            document.mtime_ns,
        )

    def grown(self, conversation: Conversation, title: str, why: str) -> OpenFile:
        """The same file, read again: what was counted need not be counted anew."""
        return OpenFile(conversation, title, why, tally=self.tally, _counters=self._counters)

    def show(self, made: Preview) -> None:
        """Note a preview as the one that is seen."""
        self.shown = made
        if not made.draft and not made.beside:
            self.settled = made

    def rows(self, made: Preview) -> MessageRows:
        """The rows of a preview's history."""
        key = (made.history.scope, made.window.model, made.sizing.factor)
        if made.history.scope not in scopes(self.conversation):
            return rows.message_rows(made.messages, made.counts, made.conversation.cwd)
        if key not in self._rows:
            counted = self._rows.get((*key[:2], PLAIN.factor))
            self._rows[key] = (
                rows.message_rows(made.messages, made.counts, made.conversation.cwd)
                if counted is None
                else rows.with_counts(counted, made.messages, made.counts)
            )
        return self._rows[key]

    def fidelity(self, made: Preview, progress: Progress) -> Fidelity:
        """Which facts a preview's result holds; judged once."""
        with paused_collection():
            return fidelity_of(made, self.stages, progress)

    def facts(self, made: Preview, progress: Progress) -> tuple[SourceFact, ...]:
        """The facts of a preview's history; looked for once."""
        with paused_collection():
            return source_facts(made, self.stages, progress)

    def known_fidelity(self, made: Preview) -> Fidelity | None:
        """The same where it was judged before."""
        return known_fidelity(made, self.stages)

    def recorded(self, made: Preview) -> tuple[MeasuredCompaction, ...]:
        """The recorded compactions of the conversation, by the count of a preview."""
        key = made.window.model, made.sizing.factor
        if key not in self._measured:
            self._measured[key] = measure_compactions(self.conversation, self.counter_of(made))
        return self._measured[key]

    def context_tokens(self, made: Preview) -> int:
        """What the next request would hold: the current scope, the system part and what is hidden."""
        return next_request(made, self.counter(made.window.model), self.stages)

    def kept(self, drawn: ResultColumns) -> tuple[ResultColumns, ...]:
        """These columns and those of the last screens; those of a draft are not kept."""
        found = (drawn, *(one for one in self.columns if one is not drawn))
        if not drawn.scene.preview.draft:
            self.columns = found[:_KEPT]
        return found
