"""The client of a model that calls tools: one request per turn, as chat messages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.common.errors import CompactionFailed
from core.common.json_value import Json
from core.llm.chat_messages import block_text
from core.llm.client import LLMCallResult, LLMClient
from core.llm.litellm_adapter import RequestOptions
from core.llm.protocol import ToolTurn, ToolUsed
from core.llm.refusal import is_refusal
from core.transcript.compaction import AgentStep
from core.transcript.model import Message, Speaker, ToolCall, ToolResponse, tool_calls, tool_responses

if TYPE_CHECKING:
    pass

TEMPERATURE = 0.3
MAX_TURN_OUTPUT = 4000  # most tokens of one turn, with all its calls and their summaries
_HISTORY_UNCHANGED = "The history is as it was."


class LLMToolModel:
    """Calls the model of a profile (product.md section 3.3); retries, cancellation and cost as in
    ``LLMClient``. A chat that does not fit the model's window is an error, since nothing of the agent's own
    chat may be removed unseen."""

    def __init__(self, client: LLMClient) -> None:
        self._client = client
        self._thoughts: list[tuple[Json, ...]] = []  # signed by the provider, for each answer so far
        self.profile, self.model = client.profile.name, client.profile.model

    def converse(self, system: str, messages: Sequence[Message], tools: Sequence[Json]) -> ToolTurn:
        """Return the next turn; raises Cancelled, and CompactionFailed also after an unusable answer."""
        options = RequestOptions(TEMPERATURE, MAX_TURN_OUTPUT, tuple(tools))
        result = self._client.call(chat_messages(system, messages, self._thoughts), options, iter(()))
        self._check(result)
        self._thoughts.append(result.response.thinking)
        usage = result.response.usage
        return ToolTurn(
            result.response.text,
            result.response.tool_calls,
            usage.input_tokens,
            usage.output_tokens,
            result.retries,
            result.steps,
            result.cost,
            result.seconds,
        )

    def report_step(self, step: AgentStep) -> None:
        """Report the outcome of a call to observers."""
        self._client.observer(ToolUsed(step))

    def _check(self, result: LLMCallResult) -> None:
        model_label = f"{self.profile} ({self.model})"
        if result.response.finish_reason == "refusal" or (
            not result.response.tool_calls and is_refusal(result.response.text)
        ):
            raise CompactionFailed(f"{model_label} refused to go on.", _HISTORY_UNCHANGED)
        if result.response.finish_reason == "length" and not result.response.tool_calls:
            raise CompactionFailed(f"{model_label} was cut off (finish reason: length).", _HISTORY_UNCHANGED)


def chat_messages(
    system: str, messages: Sequence[Message], thoughts: Sequence[Sequence[Json]] = ()
) -> tuple[dict[str, Json], ...]:
    """Return the chat with an agent as chat messages; blocks other than calls and results become text.
    ``thoughts`` are the signed blocks of its answers, one by one, which some providers want back."""
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
        return [_answer(response) for response in tool_responses(message)]
    text = "\n\n".join(filter(None, (_text(block) for block in message.blocks)))
    turn: dict[str, Json] = {
        "role": "assistant" if message.speaker is Speaker.AI else "user",
        "content": text,
    }
    if calls := [_call(call) for call in tool_calls(message)]:
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


def _arguments(arguments: Json) -> str:
    """Return arguments as JSON text; unreadable ones are quoted, since providers parse them."""
    if not isinstance(arguments, str):
        return json.dumps(arguments)
    try:
        return arguments if isinstance(json.loads(arguments), dict) else json.dumps({"unreadable": arguments})
    except (ValueError, RecursionError):
        return json.dumps({"unreadable": arguments} if arguments.strip() else {})
