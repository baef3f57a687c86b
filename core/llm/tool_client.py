"""The client of a model that calls tools: one request per turn, as chat messages."""

from __future__ import annotations

import json
from collections.abc import Sequence

from core.common.errors import CompactionFailed
from core.common.json_value import Json
from core.llm.chat_messages import block_text
from core.llm.client import LLMClient
from core.llm.connection import is_refusal
from core.llm.litellm_adapter import RequestOptions
from core.llm.protocol import ToolTurn, ToolUsed
from core.transcript.compaction import AgentStep
from core.transcript.model import Message, Speaker, ToolCall, tool_calls, tool_responses

TEMPERATURE = 0.3
MAX_TURN_OUTPUT = 4000  # most tokens of one turn, with all its calls and their summaries


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
        response, usage = result.response, result.response.usage
        if not response.tool_calls or response.finish_reason == "refusal":
            fault = ""
            if response.finish_reason == "refusal" or is_refusal(response.text):
                fault = "refused to go on"
            elif response.finish_reason == "length":
                fault = "was cut off (finish reason: length)"
            if fault:
                raise CompactionFailed(
                    f"{self.profile} ({self.model}) {fault}.", "The conversation is unchanged."
                )
        self._thoughts.append(response.thinking)
        return ToolTurn(
            response.text,
            response.tool_calls,
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
    texts = [block_text(block, "") for block in message.blocks if not isinstance(block, ToolCall)]
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
    try:
        return arguments if isinstance(json.loads(arguments), dict) else json.dumps({"unreadable": arguments})
    except (ValueError, RecursionError):
        return json.dumps({"unreadable": arguments} if arguments.strip() else {})
