"""Measures sessions while agents write them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from core.analysis.paid import NOTHING_PAID, Paid, paid
from core.common.crash_report import item_problem
from core.formats.common.format import FIRST_WITH_MESSAGES, ReadRequest
from core.formats.discovery.find_sessions import (
    SESSION_FOLDERS,
    SessionFile,
    find_sessions,
)
from core.formats.discovery.session_contents import SessionSizes, project_name, sizes_of
from core.formats.registry import load_with_reason
from core.lint.lint import Thrash, default_provider, find_thrash
from core.lint.provider_limits import media_text
from core.llm.catalog import choose_model
from core.losses.losses_of import losses_of
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.settings.schema import Values
from core.strategies.helpers import trigger_tokens
from core.strategies.registry import STRATEGIES
from core.transcript.model import Conversation, Progress, Speaker, no_progress
from core.transcript.scopes import CURRENT

_PACE_REQUESTS = 10
"""The pace is that of the last requests, at most so many."""
_REST_FACTOR = 5
"""After a measurement the session is left alone for this many times as long as that took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveCompaction:
    """What a compaction now would leave: the size of the next request in tokens, and what would be
    gone of the messages of the person, instructions and open errors."""

    strategy: str = ""
    size: int = 0
    gone: int = 0
    no_op: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSession:
    """A session as it is now, and what a compaction now would do; sizes in tokens of the next
    request.

    ``trigger`` is that of the agent, where its rule is known, else that of the strategy. ``pace``
    is the growth per request since the last compaction, 0 if unknown. ``problem`` is one
    sentence if the session cannot be measured; then the figures mean nothing.
    """

    file: SessionFile
    agent: str = ""
    project: str = ""
    model: str = ""
    mark: str = ""
    size: int = 0
    limit: int | None = None
    trigger: int | None = None
    pace: float = 0
    compacted: LiveCompaction = LiveCompaction()
    problem: str = ""
    sizes: SessionSizes | None = None  # of the whole session
    thrash: Thrash | None = None
    images: str = ""  # images and bytes of the next request, in words
    paid: Paid = NOTHING_PAID  # of the whole session, as the file reports it

    @property
    def path(self) -> Path:
        return self.file.path

    @property
    def requests_left(self) -> int | None:
        """Requests until the trigger at this pace; 0 where it is reached, None if unknown."""
        if self.trigger is None:
            return None
        if self.size >= self.trigger:
            return 0
        if self.pace > 0:
            return ceil((self.trigger - self.size) / self.pace)
        return None

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said of the session beside its figures: that it thrashes, and its images."""
        if self.thrash:
            thrash = self.thrash.label
        else:
            thrash = ""
        return tuple(filter(None, (thrash, self.images)))


def measure_live(
    session: SessionFile, values: Values, progress: Progress = no_progress
) -> LiveSession:
    """Measure a session under settings; summaries are offline. Whatever fails is its ``problem``;
    ``progress`` may raise Cancelled."""
    try:
        conversation, reader, _ = load_with_reason(
            session.path, ReadRequest(FIRST_WITH_MESSAGES, progress=progress)
        )
        stages = StageCache()
        options = PreviewOptions(scope=CURRENT, checks=False, progress=progress)
        preview = compute_preview(conversation, values, options, stages)
        losses = losses_of(preview, stages, progress)
        sizes = sizes_of(conversation, progress)
    except Exception as error:  # one file ends no list
        return LiveSession(
            file=session, agent=session.agent, problem=item_problem(error)
        )
    no_op = preview.result.compaction.no_op
    return LiveSession(
        file=session,
        agent=session.agent or reader.label,
        project=project_name(conversation.cwd, session.path),
        model=choose_model(conversation),
        mark=preview.sizes.count_method.mark,
        size=preview.sizes.before_tokens,
        limit=preview.sizes.model_limit.tokens,
        trigger=_trigger(conversation, values, preview),
        pace=_pace(conversation, preview.sizes.message_tokens_before),
        sizes=sizes,
        paid=paid(conversation),
        thrash=find_thrash(conversation, preview.sizes.sizing.reported_hidden),
        images=media_text(
            preview.messages, default_provider(conversation.format, conversation.model)
        ),
        compacted=LiveCompaction(
            strategy=preview.strategy.name,
            size=preview.sizes.after_tokens,
            gone=losses.gone_count,
            no_op=no_op.reason if no_op else "",
        ),
    )


def _trigger(
    conversation: Conversation, values: Values, preview: Preview
) -> int | None:
    """Return the size at which the agent compacts by its own rule, where a preset has it, else that
    of the strategy."""
    limit = preview.sizes.model_limit.tokens
    for strategy in STRATEGIES:
        if (
            strategy.emulates is not None
            and strategy.emulates.sessions == conversation.format
        ):
            return (
                trigger_tokens(strategy, values, limit) or preview.sizes.trigger_tokens
            )
    return preview.sizes.trigger_tokens


def _pace(conversation: Conversation, tokens: int) -> float:
    """Return the growth per request: as the provider reported it, else the mean of the messages."""
    start = max(
        (compaction.boundary for compaction in conversation.recorded), default=0
    )
    reported = [
        usage.context for usage in conversation.usage if usage.message_index > start
    ]
    reported = reported[-_PACE_REQUESTS - 1 :]
    if len(reported) > 1:
        return max(0, (reported[-1] - reported[0]) / (len(reported) - 1))
    answers = sum(
        message.speaker is Speaker.AI for message in conversation.messages[start:]
    )
    if answers:
        return tokens / answers
    return 0


class SessionWatch:
    """Measures the sessions whose files are new or have changed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[Path, tuple[int, float]] = {}
        self._rest_until: dict[Path, float] = {}

    def look(
        self,
        sessions: Iterable[SessionFile],
        measure: Callable[[SessionFile], LiveSession],
    ) -> Iterator[LiveSession]:
        """Yield the changed ones as they are measured; one whose measurement is cancelled stays
        changed."""
        for session in sessions:
            state = (session.size, session.modified_at)
            started = self._clock()
            if self._seen.get(
                session.path
            ) != state and started >= self._rest_until.get(session.path, started):
                live = measure(session)
                self._seen[session.path] = state
                self._rest_until[session.path] = self._clock() + _REST_FACTOR * (
                    self._clock() - started
                )
                yield live


def recent_sessions(
    folders: Sequence[Path], minutes: int, *, only: bool = False
) -> Iterator[SessionFile]:
    """Yield the sessions written to in the last minutes, in the agents' folders (not with ``only``)
    and in ``folders``."""
    found = find_sessions(
        agent_folders=() if only else SESSION_FOLDERS, extra_folders=folders
    ).sessions
    since = time.time() - 60 * minutes
    yield from (session for session in found if session.modified_at >= since)
