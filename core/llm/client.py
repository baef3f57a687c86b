"""Calls a profile's model: retries, lighter requests, cancellation, timeouts, and the record of the
call."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from core.common.errors import UNCHANGED, Cancelled, CompactionFailed
from core.common.json_value import Json
from core.llm import late
from core.llm.call_errors import (
    CallFailure,
    FailureCause,
    InvalidAnswerError,
    call_failure,
    compaction_failure,
)
from core.llm.destination import Destination, checked_destination
from core.llm.litellm_adapter import (
    LLMResponse,
    PartialResponse,
    RequestOptions,
    complete_request,
    loaded_litellm,
)
from core.llm.pricing import call_cost
from core.llm.protocol import (
    CallFinished,
    CallRetrying,
    CallStarted,
    ModelEvent,
    RequestLightened,
    TextReceived,
    ToolTurn,
    ToolUsed,
    block_text,
    ending_fault,
)
from core.tokens.counter import TokenCounter, counter_for
from core.transcript.compaction import AgentStep
from core.transcript.model import Message, Speaker, ToolCall, tool_calls, tool_responses

if TYPE_CHECKING:
    from core.settings.profile import Profile

_REPORT_SECONDS = 0.1  # shortest time between two reports of received text
_GRACE_SECONDS = 1.0  # added to the profile's timeout before a silent call is ended
FIRST_WAIT = 1.0  # seconds before the first retry
_MAX_WAIT = 30.0

CallObserver = Callable[[ModelEvent], None]
IsCancelled = Callable[[], bool]
ChatMessages: TypeAlias = Sequence[Mapping[str, Json]]  # messages in litellm's form


@dataclass(frozen=True, slots=True)
class LLMCallResult:
    """A whole answer and the record of its call; fields as in ``SummaryResponse``."""

    response: LLMResponse
    retries: int
    steps: tuple[str, ...]
    reductions: tuple[str, ...]
    cost: float | None
    seconds: float


@dataclass(slots=True, kw_only=True)
class _Call:
    """The state of one call. ``reductions_left`` yields lighter messages and what was removed from
    them."""

    messages: ChatMessages
    options: RequestOptions
    destination: Destination
    reductions_left: Iterator[tuple[ChatMessages, str]]
    started: float = field(default_factory=time.monotonic)
    attempts: int = 0
    retries: int = 0
    steps: list[str] = field(default_factory=list)
    reductions: list[str] = field(default_factory=list)
    reported_chunks: int = 0  # of the present try
    last_report: float = 0.0

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started


class LLMClient:
    """Calls the model of a profile. ``observer`` receives every event,
    ``cancelled`` is called every 20 ms, both on the caller's thread. ``first_wait`` is the pause in
    seconds before the first retry; each further pause doubles."""

    def __init__(
        self,
        profile: Profile,
        key: str,
        *,
        retries: int,
        observer: CallObserver,
        cancelled: IsCancelled,
        first_wait: float = FIRST_WAIT,
    ) -> None:
        self.profile = profile
        self.counter: TokenCounter = counter_for(profile.model)
        self.retries = retries
        self.observer = observer
        self._key = key
        self._cancelled = cancelled
        self._first_wait = first_wait

    def call(
        self,
        messages: ChatMessages,
        options: RequestOptions,
        lighter_messages: Iterator[tuple[ChatMessages, str]],
    ) -> LLMCallResult:
        """Call the model; retry temporary failures, and send lighter messages where they do not
        fit. With 0 retries only one request is sent. Raises CompactionFailed with profile, model,
        cause, tries and seconds, InputError where the profile has no destination, and Cancelled."""
        destination = checked_destination(self.profile)
        model_loop().run(
            # Loading takes seconds, and a person must be able to cancel it.
            loaded_litellm(),
            self._check_cancelled,
        )  # before the clock of the call starts
        call = _Call(
            messages=messages,
            options=options,
            destination=destination,
            # Without retries one request is sent and no more, not a lighter one either.
            reductions_left=lighter_messages if self.retries else iter(()),
        )
        while True:
            partial = PartialResponse()
            try:
                response = self._send(call, partial)
                break
            # A cancelled call is no failed one.
            except Cancelled:
                raise
            except Exception as error:
                self._prepare_retry(
                    call, call_failure(error, self.profile, self._key, partial.activity)
                )
        cost = call_cost(self.profile, response.usage)
        seconds = call.seconds
        self.observer(CallFinished(response.usage, cost, seconds))
        return LLMCallResult(
            response,
            call.retries,
            tuple(call.steps),
            tuple(call.reductions),
            cost,
            seconds,
        )

    def _send(self, call: _Call, partial: PartialResponse) -> LLMResponse:
        call.attempts += 1
        self.observer(CallStarted(call.attempts, self._tokens(call.messages)))
        call.reported_chunks, call.last_report = 0, 0.0
        sent, options = call.messages, call.options
        work = complete_request(
            self.profile, self._key, sent, options, partial, call.destination
        )
        return model_loop().run(work, lambda: self._poll(call, partial))

    def _poll(self, call: _Call, partial: PartialResponse) -> None:
        """Raise Cancelled, or InvalidAnswerError after a timeout; report new text."""
        self._check_cancelled()
        now = time.monotonic()
        last_activity = partial.activity.last_activity_at
        if (
            # The clock does not run before the request is sent.
            last_activity is not None
            and now > call.started + self.profile.total_timeout
        ):
            raise InvalidAnswerError(FailureCause.TOTAL_TIMEOUT)
        if (
            last_activity is not None
            and now - last_activity > self.profile.timeout + _GRACE_SECONDS
        ):
            raise InvalidAnswerError(FailureCause.TIMEOUT)
        count = len(partial.chunks)
        # Each report counts the tokens of all text so far.
        if count > call.reported_chunks and now - call.last_report >= _REPORT_SECONDS:
            call.reported_chunks, call.last_report = count, now
            text = partial.text
            self.observer(TextReceived(text, self.counter.text(text)))

    def _check_cancelled(self) -> None:
        if self._cancelled():
            raise Cancelled

    def _tokens(self, messages: ChatMessages) -> int:
        tokens = 0
        for message in messages:
            self._check_cancelled()
            tokens += self.counter.text(message["content"] or "")
            for tool_call in message.get("tool_calls", ()):
                tokens += self.counter.text(tool_call["function"]["arguments"])
        return tokens

    def _prepare_retry(self, call: _Call, failure: CallFailure) -> None:
        """Prepare the next try, or raise CompactionFailed where there is none."""
        if (
            failure.cause is FailureCause.OVERFLOW
            # The same request would not fit the next time either, so it gets lighter.
            and (lighter := next(call.reductions_left, None)) is not None
        ):
            call.messages, text = lighter
            call.steps.append(text)
            call.reductions.append(text)
            self.observer(RequestLightened(text))
            return
        if not failure.is_temporary or call.retries >= self.retries:
            # from None: the text of the cause may hold the key
            raise compaction_failure(
                failure, self.profile, call.attempts, call.seconds
            ) from None
        if failure.retry_after is not None:
            wait = failure.retry_after
        else:
            # Doubled, so that a busy server is not asked faster than it recovers.
            wait = self._first_wait * 2**call.retries
        wait = min(wait, _MAX_WAIT)
        # A wait that cannot end before the limit is not begun.
        if call.seconds + wait >= self.profile.total_timeout:
            raise compaction_failure(
                failure, self.profile, call.attempts, call.seconds
            ) from None
        call.retries += 1
        call.steps.append(
            f"try {call.attempts} failed: {failure.text}; waited {wait:.1f} s"
        )
        self.observer(CallRetrying(call.attempts + 1, failure.text, wait))
        end = time.monotonic() + wait
        while (seconds_left := end - time.monotonic()) > 0:
            self._check_cancelled()
            # In small steps, so that the wait can be cancelled.
            time.sleep(min(seconds_left, 0.02))


_POLL_SECONDS = 0.02
_T = TypeVar("_T")


class EventLoopThread:
    """An asyncio loop on its own thread."""

    def __init__(self) -> None:

        self._loop = late.asyncio.new_event_loop()
        # A daemon, so that a call that hangs does not keep the process alive.
        Thread(target=self._loop.run_forever, name="models", daemon=True).start()

    def run(self, work: Coroutine[Any, Any, _T], poll: Callable[[], None]) -> _T:
        """Run ``work`` and wait for its result on the caller's thread. ``poll`` is called there
        every 20 ms and once at the end; what it raises cancels the work, which ends its connection,
        and is raised at once."""
        future = late.asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            while not future.done():
                poll()
                late.wait((future,), _POLL_SECONDS)
            # Once more at the end, or the last text would not be reported.
            poll()
        # What the caller raises has to end the request as well, or it would still be paid for.
        except BaseException:
            future.cancel()
            raise
        return future.result()


@cache
def model_loop() -> EventLoopThread:
    """Return the loop of this process, started at the first call."""
    return EventLoopThread()


TEMPERATURE = 0.3
MAX_TURN_OUTPUT = (
    4000  # most tokens of one turn, with all its calls and their summaries
)


class LLMToolModel:
    """Calls the model of a profile; retries, cancellation and cost as in ``LLMClient``. A chat that
    does not fit the model's window is an error, since nothing of the agent's own chat may be
    removed unseen."""

    def __init__(self, client: LLMClient) -> None:
        self._client = client
        self._thoughts: list[
            tuple[Json, ...]
        ] = []  # signed by the provider, for each answer so far
        self.profile, self.model = client.profile.name, client.profile.model

    def converse(
        self, system: str, messages: Sequence[Message], tools: Sequence[Json]
    ) -> ToolTurn:
        """Return the next turn; raises Cancelled, and CompactionFailed also after an unusable
        answer."""
        options = RequestOptions(TEMPERATURE, MAX_TURN_OUTPUT, tuple(tools))
        result = self._client.call(
            chat_messages(system, messages, self._thoughts), options, iter(())
        )
        response, usage = result.response, result.response.usage
        if fault := ending_fault(response.finish_reason, "go on", takes_calls=True):
            raise CompactionFailed(
                f"{self.profile} ({self.model}) {fault}.",
                UNCHANGED,
            )
        self._thoughts.append(response.thinking)
        return ToolTurn(
            text=response.text,
            calls=response.tool_calls,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            retries=result.retries,
            steps=result.steps,
            cost=result.cost,
            seconds=result.seconds,
        )

    def report_step(self, step: AgentStep) -> None:
        self._client.observer(ToolUsed(step))


def chat_messages(
    system: str, messages: Sequence[Message], thoughts: Sequence[Sequence[Json]] = ()
) -> tuple[dict[str, Json], ...]:
    """Return the chat with an agent as chat messages; blocks other than calls and results become
    text. ``thoughts`` are the signed blocks of its answers, one by one, which some providers want
    back."""
    chat = [
        {"role": "system", "content": system},
        *(chat_message for message in messages for chat_message in _turns(message)),
    ]
    answers = (turn for turn in chat if turn["role"] == "assistant")
    for turn, blocks in zip(answers, thoughts, strict=False):
        if blocks:
            turn["thinking_blocks"] = list(blocks)
    return tuple(chat)


def _turns(message: Message) -> Sequence[dict[str, Json]]:
    if message.speaker is Speaker.TOOL:
        # The API wants one message for each result.
        return [
            {
                "role": "tool",
                "tool_call_id": response.call_id,
                "name": response.name,
                "content": response.result
                if isinstance(response.result, str)
                else json.dumps(response.result),
            }
            for response in tool_responses(message)
        ]
    texts = [
        block_text(block, "")
        for block in message.blocks
        if not isinstance(block, ToolCall)
    ]
    text = "\n\n".join(filter(None, texts))
    role = "assistant" if message.speaker is Speaker.AI else "user"
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": _arguments(call.arguments)},
        }
        for call in tool_calls(message)
    ]
    if calls:  # litellm fills an empty text with words
        return [{"role": role, "tool_calls": calls, "content": text or None}]
    return [{"role": role, "content": text}]


def _arguments(arguments: Json) -> str:
    """Return arguments as JSON text; unreadable ones are quoted, since providers parse them."""
    if not isinstance(arguments, str):
        return json.dumps(arguments)
    # A call that the model wrote badly is sent back as it was understood.
    try:
        if isinstance(json.loads(arguments), dict):
            return arguments
        return json.dumps({"unreadable": arguments})
    except (ValueError, RecursionError):
        return json.dumps({"unreadable": arguments} if arguments.strip() else {})
