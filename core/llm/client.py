"""One request to a profile's model, seen through: retries, lighter requests, cancel, silence, the record."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from core.common.errors import Cancelled
from core.common.json_value import Json
from core.llm.call_errors import (
    CallFailure,
    FailureCause,
    InvalidAnswerError,
    call_failure,
    compaction_failure,
)
from core.llm.call_events import (
    CallFinished,
    CallRetrying,
    CallStarted,
    ModelEvent,
    RequestLightened,
    TextReceived,
)
from core.llm.litellm_adapter import LLMResponse, PartialResponse, RequestOptions, complete_request
from core.llm.pricing import call_cost
from core.tokens.counter import TokenCounter, counter_for

if TYPE_CHECKING:
    from core.settings.profile import Profile

_TELL_SECONDS = 0.1
"""Least time between two reports of the text so far."""
_GRACE_SECONDS = 1.0  # beyond the profile's timeout, before a silent call is ended from here
FIRST_WAIT = 1.0
"""Seconds before the first retry."""
_LONGEST_WAIT = 30.0

CallObserver = Callable[[ModelEvent], None]
IsCancelled = Callable[[], bool]
ChatMessages: TypeAlias = Sequence[Mapping[str, Json]]
"""Messages as litellm takes them."""


@dataclass(frozen=True, slots=True)
class LLMCallResult:
    """A whole answer and how it came: as ``SummaryResponse`` has it."""

    whole: LLMResponse
    retries: int
    steps: tuple[str, ...]
    ladder: tuple[str, ...]
    cost: float | None
    seconds: float


@dataclass(slots=True)
class _Call:
    """The state of one call on its way. ``lighter`` gives messages and what was taken out of them."""

    messages: ChatMessages
    wanted: RequestOptions
    lighter: Iterator[tuple[ChatMessages, str]]
    started: float = field(default_factory=time.monotonic)
    tries: int = 0
    retries: int = 0
    steps: list[str] = field(default_factory=list)
    ladder: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started


class LLMClient:
    """Calls the model of a profile (product.md section 3.3).

    ``watch`` gets every event, ``cancelled`` is asked every 20 ms, both on the caller's thread.
    ``first_wait`` is the pause before the first retry in seconds; each further one doubles it.
    """

    def __init__(
        self,
        profile: Profile,
        key: str,
        *,
        retries: int,
        watch: CallObserver,
        cancelled: IsCancelled,
        first_wait: float = FIRST_WAIT,
    ) -> None:
        self.profile = profile
        self.counter: TokenCounter = counter_for(profile.model)
        self.retries = retries
        self.watch = watch
        self._key = key
        self._cancelled = cancelled
        self._first_wait = first_wait

    def call(
        self, messages: ChatMessages, wanted: RequestOptions, lighter: Iterator[tuple[ChatMessages, str]]
    ) -> LLMCallResult:
        """Ask the model, again where the failure may pass, with less where it does not fit.

        With no retries one request goes out and no other (product.md section 6). Raises
        CompactionFailed with profile, model, cause, tries and seconds, and Cancelled.
        """
        call = _Call(messages, wanted, lighter if self.retries else iter(()))
        while True:
            seen = PartialResponse()
            try:
                return self._called(call, self._ask(call, seen))
            except Cancelled:
                raise
            except Exception as error:
                self._go_on(call, call_failure(error, self.profile, self._key, seen.heard))

    def _ask(self, call: _Call, seen: PartialResponse) -> LLMResponse:
        """Send the request once and wait for the whole answer."""
        from core.llm.event_loop import model_loop  # late: only those who call a model start its thread

        call.tries += 1
        self.watch(CallStarted(call.tries, self._tokens(call.messages)))
        poll = _CallPoll(seen, self.profile, self.watch, self._cancelled, self.counter, call.started)
        return model_loop().run(
            complete_request(self.profile, self._key, call.messages, call.wanted, seen), poll
        )

    def _tokens(self, messages: ChatMessages) -> int:
        tokens = 0
        for message in messages:
            if self._cancelled():
                raise Cancelled
            tokens += self.counter.text(message["content"] or "")
            for asked in message.get("tool_calls", ()):
                tokens += self.counter.text(asked["function"]["arguments"])
        return tokens

    def _go_on(self, call: _Call, found: CallFailure) -> None:
        """Prepare the next try, or raise CompactionFailed where there is none."""
        if found.cause is FailureCause.OVERFLOW and (less := next(call.lighter, None)) is not None:
            call.messages, text = less
            call.steps.append(text)
            call.ladder.append(text)
            self.watch(RequestLightened(text))
            return
        if not found.may_pass or call.retries >= self.retries:
            # without the cause below it, whose text may hold the key
            raise compaction_failure(found, self.profile, call.tries, call.seconds) from None
        wait = found.wait if found.wait is not None else self._first_wait * 2**call.retries
        wait = min(wait, _LONGEST_WAIT)
        if call.seconds + wait >= self.profile.total_timeout:
            raise compaction_failure(found, self.profile, call.tries, call.seconds) from None
        call.retries += 1
        call.steps.append(f"try {call.tries} failed: {found.text}; waited {wait:.1f} s")
        self.watch(CallRetrying(call.tries + 1, found.text, wait))
        self._pause(wait)

    def _pause(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self._cancelled():
                raise Cancelled
            time.sleep(min(left, 0.02))

    def _called(self, call: _Call, whole: LLMResponse) -> LLMCallResult:
        paid = call_cost(self.profile, whole.usage)
        self.watch(CallFinished(whole.usage, paid, call.seconds))
        return LLMCallResult(whole, call.retries, tuple(call.steps), tuple(call.ladder), paid, call.seconds)


class _CallPoll:
    """Looks after a call from the caller's thread: cancel, silence, news."""

    def __init__(
        self,
        seen: PartialResponse,
        profile: Profile,
        watch: CallObserver,
        cancelled: IsCancelled,
        counter: TokenCounter,
        started: float,
    ) -> None:
        self._seen = seen
        self._most_silence = profile.timeout + _GRACE_SECONDS
        self._end = started + profile.total_timeout
        self._watch = watch
        self._cancelled = cancelled
        self._counter = counter
        self._told = 0  # chunks
        self._last = 0.0

    def __call__(self) -> None:
        """Raise Cancelled, or InvalidAnswerError after too long a silence or a call; tell of new text."""
        if self._cancelled():
            raise Cancelled
        now = time.monotonic()
        heard = self._seen.heard.at
        if heard is not None and now > self._end:
            raise InvalidAnswerError(FailureCause.TOTAL)
        if heard is not None and now - heard > self._most_silence:
            raise InvalidAnswerError(FailureCause.TIMEOUT)
        count = len(self._seen.chunks)
        if count > self._told and now - self._last >= _TELL_SECONDS:
            self._told, self._last = count, now
            text = self._seen.text
            self._watch(TextReceived(text, self._counter.text(text)))
