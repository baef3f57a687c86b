"""Runs with a model: ask once per paid profile, show progress, leave the history as it was on
failure."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace

from core.analysis.costs import rough_compaction_price, run_cost
from core.app.events import CompactionRequest, Event, WorkingEvent
from core.app.open_file import OpenFile
from core.common import number_format
from core.common.errors import UNCHANGED, Cancelled, CompactionFailed, InputError
from core.common.number_format import dollar_text
from core.common.redaction import count_secrets
from core.formats.writing.redacted_output import (
    SecretLocation,
    secret_lines,
    secret_locations_in,
)
from core.llm.client import chat_messages
from core.llm.credentials import find_key
from core.llm.destination import call_line, checked_destination, destination_of
from core.llm.pricing import needs_consent
from core.llm.protocol import (
    CallFinished,
    CallRetrying,
    CallStarted,
    ModelEvent,
    RequestLightened,
    TextReceived,
    ToolUsed,
    flatten_request,
    request_messages,
)
from core.presentation.dialog_model import CallQuestion, SummaryProgress
from core.presentation.model import (
    RUN_TOPIC,
    LabelledFigure,
    Notice,
    NoticeAction,
    secrets_figure,
)
from core.presentation.preview_status import no_op_notice
from core.presentation.verdict import NO_PRICE
from core.preview.options import Preview, PreviewOptions
from core.preview.preview import RunRequests, requests_of
from core.settings.profile import BUILT_IN, Profile
from core.settings.schema import offline_values
from core.strategies.hybrid_agent import MAX_ROUNDS
from core.transcript.model import Thinking

_SHOWN = 40_000
"""Characters of a growing text that are sent to the window: its end."""

_EVERY = 0.1
"""Seconds between two updates of a growing text."""


@dataclass(slots=True, kw_only=True)
class _TokenProgress:
    sent: int = 0  # tokens of requests that were answered
    sending: int = 0  # tokens of the request that waits for its answer
    before: int = 0  # tokens received in the calls before this one
    received: int = 0


@dataclass(slots=True, kw_only=True)
class ModelRunProgress:
    """Progress of a run, kept up to date by its events.

    ``budget`` are the tokens that all its answers together may have, ``calls`` how many answers are
    expected; ``rounds`` says that they are the rounds of an agent.
    """

    profile: Profile
    budget: int
    emit: Callable[[SummaryProgress], None]
    calls: int = 1
    rounds: bool = False
    started: float = field(default_factory=time.monotonic)
    _call: int = 0
    _tokens: _TokenProgress = field(default_factory=_TokenProgress)
    _text: str = ""
    _log: list[str] = field(default_factory=list)
    _news: str = ""
    _paid: float | None = 0.0
    _last: float = 0.0

    def handle(self, event: ModelEvent) -> None:
        """Take in an event. At most ten updates a second are sent for text, other events at
        once."""
        match event:
            case CallStarted():
                self._start(event)
            case TextReceived():
                self._text, self._tokens.received = event.text, event.tokens
                self._count_sent()
            case CallRetrying():
                self._news = (
                    f"Try {event.attempt}: the one before ended with {event.cause}"
                )
            case RequestLightened():
                self._news = event.text
            case CallFinished():
                self._finish(event)
            case ToolUsed():
                self._log.append(
                    f"Round {event.step.round} · {event.step.tool}: {event.step.effect}"
                )
        if (
            not isinstance(event, TextReceived)
            or time.monotonic() - self._last >= _EVERY
        ):
            self.show()

    def _start(self, event: CallStarted) -> None:
        self._tokens.sending = event.tokens
        if event.attempt == 1 or not self._call:
            self._call += 1
            self._tokens.before = self._tokens.before + self._tokens.received
            self._tokens.received = 0
            self._text = ""

    def _count_sent(self) -> None:
        self._tokens.sent = self._tokens.sent + self._tokens.sending
        self._tokens.sending = 0

    def _finish(self, event: CallFinished) -> None:
        self._count_sent()
        is_known = self._paid is not None and event.cost is not None
        if is_known:
            self._paid = (self._paid or 0.0) + (event.cost or 0.0)
        else:
            self._paid = None
        until = "so far" if self._call < self.calls else "in all"
        if self._paid is None:
            self._news = ""
        else:
            self._news = f"{dollar_text(self._paid)} {until}"
        if self.rounds and self._text:
            self._log.append(self._text)
            self._text = ""

    def tick(self) -> None:
        """Send an update where there was none for a second, so that the elapsed time moves."""
        if time.monotonic() - self._last >= 1:
            self.show()

    def show(self, *, over: bool = False) -> None:
        self._last = time.monotonic()
        seconds = f"{self._last - self.started:.0f} s"
        received = self._tokens.before + self._tokens.received
        number = max(1, self._call)
        sent = number_format.count(self._tokens.sent)
        most = number_format.count(self.budget)
        if self._tokens.sending:
            sending = f"sending ≈{number_format.count(self._tokens.sending)} tokens · "
        else:
            sending = ""
        tokens = (
            f"{sending}≈{sent} tokens sent · ≈{number_format.count(received)} of at most {most} "
            f"received"
        )
        text = "\n".join(filter(None, (*self._log, self._text)))[-_SHOWN:]
        title = f"{self.profile.name} is writing the summary"
        fraction = received / max(1, self.budget)
        if self.calls > 1:  # the share of finished answers
            title = f"{self.profile.name} is writing summary {number} of {max(number, self.calls)}"
            fraction = max(0, self._call - 1) / self.calls
        if self.rounds:
            title = f"{self.profile.name} works with tools, round {number} of at most {self.calls}"
        facts = tuple(filter(None, (tokens, self._news)))
        self.emit(
            SummaryProgress(title, seconds, facts, text, min(1.0, fraction), over)
        )


def confirmation_question(
    requests: RunRequests, profile: Profile, inputs: Sequence[int]
) -> CallQuestion:
    """Return the question before the first call of a paid profile; ``inputs`` are the source
    messages."""
    bill = run_cost(requests, profile)
    agent = requests.agent
    sent = number_format.count(bill.sent)
    cost = bill.price
    calls = bill.calls
    most = bill.text
    if agent is not None:
        price = f"{most} in {MAX_ROUNDS} rounds"
        chats = [chat_messages(agent.system, agent.messages)]
        words = (
            f"The model works with four tools, in up to {MAX_ROUNDS} rounds: messages, their sizes and "
            f"beginnings (at most ≈{sent} tokens in all) go"
        )
    else:
        price = f"≈ {dollar_text(cost.input)} to send, {most}"
        chats = [flatten_request(request) for request in requests.requests]
        count = number_format.plural(
            sum(len(one.messages) for one in requests.requests), "message"
        )
        words = (
            f"{count} (≈{sent} tokens) go{f' in {calls} requests' if calls > 1 else ''}"
        )
    secrets = count_secrets(
        message["content"] or "" for chat in chats for message in chat
    )
    return CallQuestion(
        title=f"Send this {call_line(profile, most)}?",
        text=f"{words} to {profile.model}. "
        f"At most {number_format.count(bill.received)} tokens come back. You are asked once per profile.",
        facts=(
            LabelledFigure(
                "Price", price if cost.is_known else "– (model not in the table)"
            ),
            secrets_figure(secrets),
        ),
        yes_label=f"Send · {most}",
        secrets=secret_lines(secret_locations(requests, inputs)) if secrets else (),
    )


def secret_locations(
    requests: RunRequests, inputs: Sequence[int]
) -> tuple[SecretLocation, ...]:
    """Return the secrets that are sent, with their message; 0 for text that is not from the
    source."""
    if requests.agent is not None:
        return secret_locations_in((0, message) for message in requests.agent.messages)
    return secret_locations_in(
        (
            inputs[part.index] + 1 if part.kind == "history" else 0,
            replace(
                part.message,
                blocks=tuple(
                    one for one in part.message.blocks if not isinstance(one, Thinking)
                ),
            ),
        )
        for request in requests.requests
        for part in request_messages(request)
    )


_OFFLINE = NoticeAction("Use offline", "compact-offline")


class ModelRunHandler:
    def __init__(
        self, emit: Callable[[Event], None], is_cancelled: Callable[[], bool]
    ) -> None:
        self._emit = emit
        self._is_cancelled = is_cancelled
        self._agreed: set[Hashable] = set()
        self._asked: set[Hashable] = set()  # a yes counts only for what was asked

    def telling(self, emit: Callable[[Event], None]) -> ModelRunHandler:
        """Return a handler with another ``emit`` that shares the agreements of this one."""
        other = ModelRunHandler(emit, self._is_cancelled)
        other._agreed, other._asked = self._agreed, self._asked
        return other

    def compacted(
        self,
        file: OpenFile,
        preview: Preview,
        command: CompactionRequest,
        options: PreviewOptions,
        key: Callable[[Profile], Hashable],
    ) -> Preview | None:
        """Return the preview as a run, its summary written by its model where it needs one; None if
        nothing is to be kept.

        ``key`` returns what a summary by a profile depends on; it is cached under that.
        """
        result: Preview | None = preview
        if preview.summary.unwritten and preview.result.compaction.no_op is None:
            result = self.run(file, preview, command, options)
            if result is not None:
                known = key(result.summary.profile)
                file.written.pop(known, None)  # the last one is the newest
                file.written[known] = result
        else:
            self._emit(WorkingEvent("Compacting", 0.0))
        if result is None or result.result.compaction.no_op is None:
            return result
        self._emit(no_op_notice(result.result.compaction.no_op))
        return None

    def run(
        self,
        file: OpenFile,
        preview: Preview,
        command: CompactionRequest,
        options: PreviewOptions,
    ) -> Preview | None:
        """Return the preview with its summary; None after a question, a failure or a cancel."""
        profile = options.summary.profile
        if command.offline:
            written_offline = replace(
                options,
                summary=replace(
                    options.summary, profile=BUILT_IN, is_written=True, model_reason=""
                ),
            )
            return file.preview(offline_values(preview.source.values), written_offline)
        requests = requests_of(preview, options.prompts)
        if requests.is_empty:  # no model is needed
            return file.preview(
                preview.source.values,
                replace(options, summary=replace(options.summary, is_written=True)),
            )
        if not self._can_be_called(profile):
            return None
        target = _call_target(profile)
        is_agreed = target in self._agreed or (command.agreed and target in self._asked)
        if needs_consent(profile) and not is_agreed:
            self._asked.add(target)
            self._emit(
                replace(
                    confirmation_question(requests, profile, preview.result.inputs),
                    focus=command.focus,
                )
            )
            return None
        self._agreed.add(target)
        return self._call(file, preview, options, requests)

    def price(self, preview: Preview) -> str:
        """Return what a compact by a model would cost at most, "" where no consent is needed."""
        if preview.result.compaction.no_op or not needs_consent(
            preview.summary.profile
        ):
            return ""
        cost = rough_compaction_price(preview)
        if cost.is_known:
            return f"≈ {dollar_text(cost.total)}"
        return NO_PRICE

    def _can_be_called(self, profile: Profile) -> bool:
        """Return whether a profile has a destination; otherwise say why not."""
        try:
            checked_destination(profile)
        except InputError as error:
            self._refuse(profile, error)
            return False
        return True

    def _refuse(self, profile: Profile, error: InputError) -> None:
        text = f"{error.hint} {UNCHANGED}".strip()
        self._emit(
            Notice(
                "error",
                error.message,
                text,
                (_edit_action(profile), _OFFLINE),
                topic=RUN_TOPIC,
            )
        )

    def _call(
        self,
        file: OpenFile,
        preview: Preview,
        options: PreviewOptions,
        requests: RunRequests,
    ) -> Preview | None:
        profile = options.summary.profile
        edit = _edit_action(profile)
        try:
            key = find_key(profile)
        except InputError as error:
            self._refuse(profile, error)
            return None
        bill = run_cost(requests, profile)
        rounds = requests.agent is not None
        if rounds:
            most = bill.received
        else:
            most = sum(one.max_tokens for one in requests.requests)
        progress = ModelRunProgress(
            profile=profile,
            budget=most,
            emit=self._emit,
            calls=max(1, bill.calls),
            rounds=rounds,
        )
        progress.show()

        def cancelled() -> bool:
            progress.tick()
            return self._is_cancelled()

        try:
            return file.written_preview(
                preview, options, key, progress.handle, cancelled
            )
        except CompactionFailed as error:
            ways = (NoticeAction("Try again", "compact"), edit, _OFFLINE)
            self._emit(
                Notice("error", error.message, error.hint, ways, topic=RUN_TOPIC)
            )
        except Cancelled:
            self._emit(Notice("info", "Cancelled.", UNCHANGED, topic=RUN_TOPIC))
        finally:
            progress.show(over=True)
        return None


def _edit_action(profile: Profile) -> NoticeAction:
    return NoticeAction("Edit profile…", "profiles", profile.name)


def _call_target(profile: Profile) -> Hashable:
    """Return what the user agrees to: another model, another host and another proxy need a new
    agreement."""
    return profile.name, profile.provider, profile.model, destination_of(profile)
