"""The open transcript in the worker, with its previews, counters and rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.app import late
from core.lint.provider_limits import media_text
from core.llm.catalog import choose_model
from core.llm.request_size import UNCALIBRATED
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.preview.preview_input import (
    are_checks_cached,
    preview_request_tokens,
    with_checks,
)
from core.settings.schema import RETRIES, Mode, Values
from core.tokens.counter import TokenCounter, counter_for
from core.tokens.recorded_compactions import MeasuredCompaction, measure_compactions
from core.transcript.model import Conversation, Progress, no_progress
from core.transcript.scopes import ALL, CURRENT, history_of_scope, scopes

if TYPE_CHECKING:
    from core.app.loading import CountedConversation
    from core.llm.client import CallObserver
    from core.losses.evidence import Losses
    from core.presentation.model import MessageRows


@dataclass(slots=True, kw_only=True)
class OpenFile:
    """An open conversation and what was computed from it, for the window and for commands; what few
    commands need is imported late.

    ``written`` is what models wrote, by what it depends on, ``compared`` by trial what the profiles
    of the last comparison did.
    """

    conversation: Conversation
    format_reason: str = ""
    written: dict[Hashable, Preview] = field(default_factory=dict)
    compared: dict[Hashable, Preview] = field(default_factory=dict)
    stages: StageCache = field(default_factory=StageCache)
    _counters: dict[str, TokenCounter] = field(default_factory=dict)
    _rows: dict[tuple[str, str, float], MessageRows] = field(default_factory=dict)
    _gone: tuple[
        tuple[Preview, int], ...
    ] = ()  # of the last two previews that were looked at
    _measured: dict[tuple[str, float], tuple[MeasuredCompaction, ...]] = field(
        default_factory=dict
    )

    @classmethod
    def of(cls, counted: CountedConversation) -> OpenFile:
        conversation, model = counted.conversation, counted.model
        rows = {(ALL, model, UNCALIBRATED.factor): counted.rows}
        counters = {model: counted.counter}
        return cls(
            conversation=conversation,
            format_reason=counted.format_reason,
            _rows=rows,
            _counters=counters,
        )

    def model(self, override: str = "") -> str:
        """Return the model that counts: ``override``, else that of the file."""
        return choose_model(self.conversation, override)

    def counter(self, model: str) -> TokenCounter:
        if model not in self._counters:
            self._counters[model] = counter_for(model)
        self.stages.results["counter", model] = self._counters[model]
        return self._counters[model]

    def preview(self, values: Values, options: PreviewOptions) -> Preview:
        """Return a preview of the conversation; stages that did not change are not computed
        again."""
        self.counter(self.model(options.model))
        return compute_preview(self.conversation, values, options, self.stages)

    def written_preview(
        self,
        preview: Preview,
        options: PreviewOptions,
        key: str,
        observer: CallObserver,
        cancelled: Callable[[], bool],
    ) -> Preview:
        """Return the preview with a summary by the model of ``options.summary.profile``;
        ``observer`` hears of calls. Raises CompactionFailed."""
        retries = configured_retries(preview)
        choose, agent = late.model_factories(
            options.summary.profile, key, retries, observer, cancelled
        )
        options = replace(
            options,
            summary=replace(
                options.summary, is_written=True, factory=choose, agent=agent
            ),
        )
        return self.preview(preview.source.values, options)

    def has_cached_checks(self, preview: Preview) -> bool:
        return are_checks_cached(preview, self.stages)

    def checked(self, preview: Preview, progress: Progress) -> Preview:
        """Return the preview with its checks; Cancelled passes through."""
        return with_checks(preview, self.stages, progress)

    def is_missing(self) -> bool:
        path = self.conversation.document.path
        return path is not None and not path.exists()

    def has_changed(self) -> bool:
        """Return whether size or time of the file on disk have changed since it was read."""
        document = self.conversation.document
        try:
            if document.path is not None:
                status = document.path.stat()
            else:
                status = None
        except OSError:
            return False
        return status is not None and (status.st_size, status.st_mtime_ns) != (
            document.size,
            document.mtime_ns,
        )

    def grown(self, conversation: Conversation, why: str) -> OpenFile:
        """Return the same file, read again; its counters are taken over."""
        return OpenFile(
            conversation=conversation,
            format_reason=why,
            _counters=self._counters,
        )

    def rows(self, preview: Preview) -> MessageRows:
        key = (
            preview.source.history.scope,
            preview.sizes.model_limit.model,
            preview.sizes.sizing.factor,
        )
        if preview.source.history.scope not in scopes(self.conversation):
            return late.message_rows(
                preview.messages, preview.source.counts, preview.source.conversation.cwd
            )
        if key not in self._rows:
            counted = self._rows.get((*key[:2], UNCALIBRATED.factor))
            self._rows[key] = (
                late.message_rows(
                    preview.messages,
                    preview.source.counts,
                    preview.source.conversation.cwd,
                )
                if counted is None
                else late.with_counts(counted, preview.messages, preview.source.counts)
            )
        return self._rows[key]

    def losses(self, preview: Preview, progress: Progress = no_progress) -> Losses:
        result = late.losses_of(preview, self.stages, progress)
        if result.is_written:
            self._gone = (*self._gone[-1:], (preview, result.gone_count))
        return result

    def cached_losses(self, preview: Preview | None) -> int | None:
        """Return how much of what counts is gone from a preview, None where nobody asked for it."""
        return next((gone for shown, gone in self._gone if shown is preview), None)

    def recorded(self, preview: Preview) -> tuple[MeasuredCompaction, ...]:
        """Return the recorded compactions of the conversation, counted as a preview counts."""
        key = preview.sizes.model_limit.model, preview.sizes.sizing.factor
        if key not in self._measured:
            self._measured[key] = measure_compactions(
                self.conversation, preview.source.counter
            )
        return self._measured[key]

    def context_tokens(self, preview: Preview) -> int:
        """Return the tokens of the next request: current scope, system part and hidden tokens."""
        return preview_request_tokens(
            preview, self.counter(preview.sizes.model_limit.model), self.stages
        )

    def images(self, provider: str) -> str:
        """Return what is said of the images and bytes of the next request; "" without images."""

        def text() -> str:
            return media_text(
                history_of_scope(self.conversation, CURRENT).messages, provider
            )

        return self.stages.get_or_compute("images", provider, text)


def configured_retries(preview: Preview) -> int:
    """Return how often a failed call is repeated; the reference never repeats one."""
    if preview.mode is Mode.SAFE:
        return preview.source.values.integer(RETRIES)
    return 0
