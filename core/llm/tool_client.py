"""The client of a model that calls tools: one request per turn, as chat messages."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from core.common.errors import CompactionFailed
from core.common.json_value import Json
from core.llm.chat_messages import block_text
from core.llm.client import LLMClient
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


_MAX_OTHER_WORDS = 60  # most words after the refusal, such as reasons and offers; a summary has more
_MARKUP = re.compile(r"</?[\w:.-]+>|^\s*(?:#{1,6}|\d+[.)]|[-*>])\s+|[*_`\"“”]", re.MULTILINE)
_ENDS = re.compile(r"(?<=[.!?:])\s+|\n+")
_NOT = (
    r"(?:can ?not|can't|could ?not|couldn't|(?:will not|won't)(?: be able to)?|would not"
    r"|(?:am|'m) (?:unable|not able|not allowed|not permitted|not comfortable|programmed not|prohibited from)"
    r"|(?:do not|don't) feel comfortable|(?:must|have to|need to) (?:decline|refuse)|decline|refuse)"
)
_DOING = (
    r"(?:help|assist|summari[sz]\w*|comply|complete|continu\w*|proceed\w*|fulfil\w*|process\w*|engage|respond"
    r"|answer|provid\w*|creat\w*|generat\w*|produc\w*|writ\w*|mak\w*|giv\w*|do|doing|condens\w*|compress\w*)"
)
_ADJECTIVE = r"(?: (?:entire|whole|full|following|above|given|detailed|concise|brief|requested|kind of))?"
_TASK = (
    rf"(?:\b(?:this|that|the|your|such|any|a){_ADJECTIVE} (?:summar\w+|snapshot|recap|requests?|conversation"
    r"|transcript|chat|dialogue|task|content|material|discussion)\b|\b(?:with|do|doing) (?:that|this|it|so)\b"
    r"|\b(?:help|assist|comply|continue|proceed|answer|respond|that|this|so)[.!,;:]?$"
    r"|\b(?:help|assist) you\b)"
)
_I_DO_NOT = re.compile(rf"\b(?:i|we) ?{_NOT}(?:,? (?!comply)\w+ly)? ?(?:to |from )?(?P<rest>.*)")
_WORK = re.compile(rf"^(?:\w+ ){{0,2}}?{_DOING}\b.*{_TASK}|^{_DOING}[.!,;:]?$|^{_TASK}")
_BARE = re.compile(rf"^(?:but )?i ?{_NOT}[.!]?$")
_RULED_OUT = re.compile(
    r"^(?:(?:this|that|the|your) (?:request|content|conversation|transcript|task)\b.{0,40}"
    r"\b(?:violates?|against|breach\w*)\b.{0,30}\b(?:polic\w+|guidelines|terms)"
    r"|(?:that|this)(?: is|'s) not something (?:that )?i(?:'m| am)? (?:can|able)"
    r"|request (?:denied|refused|declined|blocked)[.!]?$"
    r"|it (?:is|would be) (?:not possible|impossible|inappropriate|against)\b.{0,60}"
    r"\b(?:summar\w+|guidelines|this request|help|assist))"
)
_REGRET = re.compile(
    r"^(?:(?:i|we)(?:'m|'re| am| are) )?(?:so |very |really )?(?:sorry|afraid)\b|^i (?:do )?apologi[sz]e\b"
    r"|^(?:my )?apologies\b|^unfortunately\b|^no[.,!]?$|^as an? (?:ai|large|language)\b|^summary\b"
)


def is_refusal(text: str) -> bool:
    """Return whether an answer begins by declining the task and contains no summary."""
    sentences = [
        sentence
        for sentence in (_normalised(part) for part in _ENDS.split(_MARKUP.sub(" ", text)))
        if sentence
    ]
    opening = next((index for index, sentence in enumerate(sentences[:3]) if _declines(sentence)), None)
    if opening is None or not all(_REGRET.search(sentence) for sentence in sentences[:opening]):
        return False
    return sum(len(sentence.split()) for sentence in sentences[opening + 1 :]) <= _MAX_OTHER_WORDS


def _normalised(text: str) -> str:
    return " ".join(text.replace("’", "'").split()).lower()


def _declines(sentence: str) -> bool:
    if _RULED_OUT.search(sentence) or _BARE.search(sentence):
        return True
    match = _I_DO_NOT.search(sentence)
    if match is None or not _WORK.search(match["rest"]):
        return False
    before = sentence[: match.start()].strip()
    return not before or (bool(_REGRET.search(before)) and len(before.split()) <= 12)
