"""Runs with a real model: ask once per paid profile, show progress, leave the history as it was on
failure."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace

from core.analysis.cost.run_cost import rough_compaction_price, run_requests
from core.app.document import OpenFile
from core.app.events import CompactionRequest, Event, WorkingEvent
from core.app.model_progress import configured_retries, confirmation_question, picture_of
from core.common.errors import Cancelled, CompactionFailed, InputError
from core.common.number_format import dollar_text
from core.llm.credentials import find_key
from core.llm.pricing import is_paid
from core.presentation.model import Notice, NoticeAction
from core.presentation.notices import no_op_notice
from core.preview.options import Preview, PreviewOptions
from core.preview.run_requests import RunRequests
from core.settings.profile import BUILT_IN, Profile
from core.summarize.model_summarizer import model_factories
from core.tokens.counter import TokenCounter

_STAYS = "The history is as it was."
_OFFLINE = NoticeAction("Use offline", "compact-offline")


class ModelRunHandler:
    def __init__(self, emit: Callable[[Event], None], is_cancelled: Callable[[], bool]) -> None:
        self._emit = emit
        self._is_cancelled = is_cancelled
        self._agreed: set[tuple[str, ...]] = set()

    def telling(self, emit: Callable[[Event], None]) -> ModelRunHandler:
        """Return a handler with another ``emit`` that shares the agreements of this one."""
        other = ModelRunHandler(emit, self._is_cancelled)
        other._agreed = self._agreed
        return other

    def compacted(
        self,
        file: OpenFile,
        preview: Preview,
        command: CompactionRequest,
        options: PreviewOptions,
        key: Callable[[Profile], Hashable],
    ) -> Preview | None:
        """Return the preview as a run, its summary written by its model where it needs one; None if nothing
        is to be kept.

        ``key`` returns what a summary by a profile depends on; it is cached under that.
        """
        result: Preview | None = preview
        if preview.unwritten and preview.compaction.no_op is None:
            result = self.run(file, preview, command, options)
            if result is not None:
                file.written[key(result.writer)] = result
        else:
            self._emit(WorkingEvent("Compacting", 0.0))
        if result is None or result.compaction.no_op is None:
            return result
        self._emit(no_op_notice(result.compaction.no_op))
        return None

    def run(
        self, file: OpenFile, preview: Preview, command: CompactionRequest, options: PreviewOptions
    ) -> Preview | None:
        """Return the preview with its summary; None after a question, a failure or a cancel."""
        profile = options.writer
        if command.offline:
            return file.preview_of(
                preview, replace(options, writer=BUILT_IN, writes_summary=True, model_reason="")
            )
        requests = run_requests(preview, profile, file.counter_of(preview), command.focus, options.prompts)
        if requests.is_empty:  # no model is needed
            return file.preview_of(preview, replace(options, writes_summary=True))
        if is_paid(profile) and not command.agreed and _call_target(profile) not in self._agreed:
            self._emit(replace(confirmation_question(requests, profile, preview.inputs), focus=command.focus))
            return None
        self._agreed.add(_call_target(profile))
        return self._call(file, preview, options, requests)

    def price(self, preview: Preview, counter: TokenCounter) -> str:
        """Return what a compact would cost at most, "" where nothing is paid."""
        if not preview.unwritten or preview.draft or preview.compaction.no_op or not is_paid(preview.writer):
            return ""
        cost = rough_compaction_price(preview, counter)
        return f"≈ {dollar_text(cost.total)}" if cost.known else "(price unknown)"

    def _call(
        self, file: OpenFile, preview: Preview, options: PreviewOptions, requests: RunRequests
    ) -> Preview | None:
        profile = options.writer
        key = self._key_of(profile)
        if key is None:
            return None
        progress = picture_of(requests, profile, self._emit)
        progress.show()

        def cancelled() -> bool:
            progress.tick()
            return self._is_cancelled()

        try:
            choose, agent = model_factories(
                profile, key, configured_retries(preview), progress.handle, cancelled
            )
            return file.preview_of(
                preview, replace(options, writes_summary=True, summariser_factory=choose, agent=agent)
            )
        except CompactionFailed as error:
            ways = (NoticeAction("Try again", "compact"), _edit(profile), _OFFLINE)
            self._emit(Notice("error", error.message, error.hint, ways, topic="run"))
        except Cancelled:
            self._emit(Notice("info", "Cancelled.", _STAYS, topic="run"))
        finally:
            progress.show(over=True)
        return None

    def _key_of(self, profile: Profile) -> str | None:
        """Return the key of a profile; None, with a notice, where a needed one is missing."""
        try:
            return find_key(profile)
        except InputError as error:
            text = f"{error.hint} {_STAYS}"
            self._emit(Notice("error", error.message, text, (_edit(profile), _OFFLINE), topic="run"))
            return None


def _edit(profile: Profile) -> NoticeAction:
    return NoticeAction("Edit profile…", "profiles", profile.name)


def _call_target(profile: Profile) -> tuple[str, ...]:
    """Return what the user agrees to call: a profile with another model needs a new agreement."""
    return profile.name, profile.provider, profile.model, profile.base_url
