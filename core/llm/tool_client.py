"""A real model that works with tools: its turns as chat messages, one request for each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.common.errors import CompactionFailed
from core.common.json_value import Json
from core.llm.call_events import ToolUsed
from core.llm.chat_messages import block_text
from core.llm.client import FIRST_WAIT, CallObserver, IsCancelled, LLMCallResult, LLMClient
from core.llm.litellm_adapter import RequestOptions
from core.llm.protocol import ToolTurn
from core.llm.refusal import is_refusal
from core.transcript.compaction import AgentStep
from core.transcript.model import Message, Speaker, ToolCall, ToolResponse, tool_calls, tool_responses

if TYPE_CHECKING:
    from core.settings.profile import Profile

TEMPERATURE = 0.3
MOST_OUTPUT = 4000
"""Tokens that one turn may have, several calls and their summaries included."""

_UNCHANGED = "The history is as it was."


class LLMToolModel:
    """Works with the model of a profile (product.md section 3.3); retries, cancel and cost as ``LLMClient``.

    A conversation that does not fit the model's window is an error: it is the agent's own talk, of
    which nothing may be taken away unseen.
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
        self._caller = LLMClient(
            profile, key, retries=retries, watch=watch, cancelled=cancelled, first_wait=first_wait
        )
        self._thoughts: list[tuple[Json, ...]] = []  # before each answer so far, signed by the provider

    @property
    def profile(self) -> str:
        """Name of the profile that makes the calls."""
        return self._caller.profile.name

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._caller.profile.model

    def converse(self, system: str, messages: Sequence[Message], tools: Sequence[Json]) -> ToolTurn:
        """The model's next turn. Raises CompactionFailed, also where it refused or was cut off before it
        asked for anything, and Cancelled."""
        wanted = RequestOptions(TEMPERATURE, MOST_OUTPUT, tuple(tools))
        done = self._caller.call(chat_messages(system, messages, self._thoughts), wanted, iter(()))
        self._check(done)
        self._thoughts.append(done.whole.thoughts)
        usage = done.whole.usage
        return ToolTurn(
            done.whole.text,
            done.whole.asks,
            usage.input_tokens,
            usage.output_tokens,
            done.retries,
            done.steps,
            done.cost,
            done.seconds,
        )

    def note(self, step: AgentStep) -> None:
        """Tell those who watch what became of a call."""
        self._caller.watch(ToolUsed(step))

    def _check(self, done: LLMCallResult) -> None:
        who = f"{self.profile} ({self.model})"
        if done.whole.finish == "refusal" or (not done.whole.asks and is_refusal(done.whole.text)):
            raise CompactionFailed(f"{who} refused to go on.", _UNCHANGED)
        if done.whole.finish == "length" and not done.whole.asks:
            raise CompactionFailed(f"{who} was cut off (finish reason: length).", _UNCHANGED)


def chat_messages(
    system: str, messages: Sequence[Message], thoughts: Sequence[Sequence[Json]] = ()
) -> tuple[dict[str, Json], ...]:
    """The talk with an agent as chat messages; blocks that are neither calls nor results go as text.

    ``thoughts`` are the signed blocks of its answers, one by one, which some providers want back.
    """
    sent = [{"role": "system", "content": system}, *(one for message in messages for one in _turns(message))]
    answers = (turn for turn in sent if turn["role"] == "assistant")
    for turn, blocks in zip(answers, thoughts, strict=False):
        if blocks:
            turn["thinking_blocks"] = list(blocks)
    return tuple(sent)


def _turns(message: Message) -> Sequence[dict[str, Json]]:
    if message.speaker is Speaker.TOOL:
        return [_answer(response) for response in tool_responses(message)]
    text = "\n\n".join(filter(None, (_text(block) for block in message.blocks)))
    turn: dict[str, Json] = {
        "role": "assistant" if message.speaker is Speaker.AI else "user",
        "content": text,
    }
    if calls := [_call(one) for one in tool_calls(message)]:
        turn |= {"tool_calls": calls, "content": text or None}  # litellm fills an empty text with words
    return [turn]


def _text(block: Json) -> str:
    return "" if isinstance(block, ToolCall) else block_text(block, "")


def _answer(response: ToolResponse) -> dict[str, Json]:
    content = response.result if isinstance(response.result, str) else json.dumps(response.result)
    return {"role": "tool", "tool_call_id": response.call_id, "name": response.name, "content": content}


def _call(call: ToolCall) -> dict[str, Json]:
    function = {"name": call.name, "arguments": _arguments(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}


def _arguments(given: Json) -> str:
    """Arguments as JSON text; what the model wrote that is none is quoted, for providers parse it."""
    if not isinstance(given, str):
        return json.dumps(given)
    try:
        return given if isinstance(json.loads(given), dict) else json.dumps({"unreadable": given})
    except (ValueError, RecursionError):
        return json.dumps({"unreadable": given} if given.strip() else {})
