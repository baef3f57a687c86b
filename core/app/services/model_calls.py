"""The desk's part of a real call: ask once per paid profile, show the call, keep failure harmless."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace

from core.analysis.cost.run_cost import rough_price, run_requests
from core.app.document import OpenFile
from core.app.messages import Event, RunCompactionCommand, WorkingEvent
from core.app.model_run import configured_retries, confirmation_question, picture_of
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
    """Runs a preview's strategy with the model of a profile."""

    def __init__(self, emit: Callable[[Event], None], is_cancelled: Callable[[], bool]) -> None:
        self._emit = emit
        self._is_cancelled = is_cancelled
        self._agreed: set[tuple[str, ...]] = set()

    def telling(self, emit: Callable[[Event], None]) -> ModelRunHandler:
        """The same desk, which tells ``emit``: what was agreed to with one of both holds for the other."""
        other = ModelRunHandler(emit, self._is_cancelled)
        other._agreed = self._agreed
        return other

    def compacted(
        self,
        file: OpenFile,
        made: Preview,
        command: RunCompactionCommand,
        ask: PreviewOptions,
        key: Callable[[Profile], Hashable],
    ) -> Preview | None:
        """The preview as a run, written by its model where it needs one; None where there is none to keep.

        ``key`` says what a summary by a profile depends on; it is remembered under that.
        """
        written: Preview | None = made
        if made.unwritten and made.compaction.no_op is None:
            written = self.run(file, made, command, ask)
            if written is not None:
                file.written[key(written.writer)] = written
        else:
            self._emit(WorkingEvent("Compacting", 0.0))
        if written is None or written.compaction.no_op is None:
            return written
        self._emit(no_op_notice(written.compaction.no_op))
        return None

    def run(
        self, file: OpenFile, made: Preview, command: RunCompactionCommand, ask: PreviewOptions
    ) -> Preview | None:
        """The preview with its summary written; None where it was asked first, failed or was cancelled."""
        profile = ask.writer
        if command.offline:
            return file.preview_of(made, replace(ask, writer=BUILT_IN, writes=True, why=""))
        asks = run_requests(made, profile, file.counter_of(made), command.focus, ask.prompts)
        if asks.is_empty:  # what it did needs no model
            return file.preview_of(made, replace(ask, writes=True))
        if is_paid(profile) and not command.agreed and _called(profile) not in self._agreed:
            self._emit(replace(confirmation_question(asks, profile, made.inputs), focus=command.focus))
            return None
        self._agreed.add(_called(profile))
        return self._call(file, made, ask, asks)

    def price(self, made: Preview, counter: TokenCounter) -> str:
        """What a compact would cost at most, "" where nothing is paid."""
        if not made.unwritten or made.draft or made.compaction.no_op or not is_paid(made.writer):
            return ""
        cost = rough_price(made, counter)
        return f"≈ {dollar_text(cost.total)}" if cost.known else "(price unknown)"

    def _call(self, file: OpenFile, made: Preview, ask: PreviewOptions, asks: RunRequests) -> Preview | None:
        profile = ask.writer
        key = self._key_of(profile)
        if key is None:
            return None
        picture = picture_of(asks, profile, self._emit)
        picture.show()

        def cancelled() -> bool:
            picture.tick()
            return self._is_cancelled()

        try:
            choose, agent = model_factories(profile, key, configured_retries(made), picture.watch, cancelled)
            return file.preview_of(made, replace(ask, writes=True, choose=choose, agent=agent))
        except CompactionFailed as error:
            ways = (NoticeAction("Try again", "compact"), _edit(profile), _OFFLINE)
            self._emit(Notice("error", error.message, error.hint, ways, topic="run"))
        except Cancelled:
            self._emit(Notice("info", "Cancelled.", _STAYS, topic="run"))
        finally:
            picture.show(over=True)
        return None

    def _key_of(self, profile: Profile) -> str | None:
        """The key of a profile; None where it has none that it should have, which is told."""
        try:
            return find_key(profile)
        except InputError as error:
            text = f"{error.hint} {_STAYS}"
            self._emit(Notice("error", error.message, text, (_edit(profile), _OFFLINE), topic="run"))
            return None


def _edit(profile: Profile) -> NoticeAction:
    return NoticeAction("Edit profile…", "profiles", profile.name)


def _called(profile: Profile) -> tuple[str, ...]:
    """What a person agrees to call: a profile that was edited to another model is asked about anew."""
    return profile.name, profile.provider, profile.model, profile.base_url
