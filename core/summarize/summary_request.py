"""What a summariser is asked, part by part, and how its answer becomes messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.common.errors import CompactionFailed
from core.common.javascript_whitespace import trim
from core.strategies.base import StrategyContext, Summariser, SummaryRequest, SummaryResponse
from core.transcript.model import Block, Message, Speaker, Text

TRIGGER = (
    "Think in private first: go through the messages above one by one and collect what the next turns "
    "will need. Then write the one <state_snapshot> element that the instructions describe, and nothing else."
)
"""The last message of a request (llxprt.md section 5.3)."""

_UNCHANGED = "The history is as it was."

MOST_SUMMARY_TOKENS = 4000
"""Upper end of the automatic budget (product.md, compression.summary-tokens)."""


@dataclass(frozen=True, slots=True)
class RequestMessage:
    """One message of a request: its kind, the message, and its place in the history (-1: not from it)."""

    kind: str  # "prompt", "history", "todos", "transcript", "focus", "trigger"
    message: Message
    index: int = -1


def human_text(text: str) -> Message:
    """A human message with one text."""
    return Message(Speaker.HUMAN, (Text(text),))


def parts(request: SummaryRequest) -> tuple[RequestMessage, ...]:
    """The messages that go to a model, in order (REQ-CS-002.4, REQ-HD-011.3, -012.2)."""
    found = [RequestMessage("prompt", human_text(request.prompt))]
    found += [
        RequestMessage("history", message, index)
        for message, index in zip(request.messages, request.indices, strict=True)
    ]
    if trim(request.todos):
        text = "Open tasks. Keep why each of them exists and what was tried for it.\n\n" + request.todos
        found.append(RequestMessage("todos", human_text(text)))
    if request.transcript:
        text = (
            f"The whole transcript, as it was before this summary, is in {request.transcript}. "
            "Name that path in the summary."
        )
        found.append(RequestMessage("transcript", human_text(text)))
    if request.focus:
        found.append(
            RequestMessage("focus", human_text(f"Above all keep what has to do with: {request.focus}"))
        )
    found.append(RequestMessage("trigger", human_text(request.trigger)))
    return tuple(found)


def budget(configured: int, replaced_tokens: int) -> int:
    """Tokens a summary may have: as configured, or a quarter of what it replaces, at most 4,000."""
    return configured or max(1, min(MOST_SUMMARY_TOKENS, replaced_tokens // 4))


def ask(
    context: StrategyContext, strategy: str, request: SummaryRequest
) -> tuple[Summariser, SummaryResponse]:
    """The answer to a request; CompactionFailed where there is none that can be used.

    Blank, cut off and refused answers are errors that name profile, model and cause; the history
    stays as it was (REQ-CS-006A.2, product.md section 3.1).
    """
    summariser = context.summariser(context.profile)
    who = f"{summariser.profile} ({summariser.model})"
    answer = summariser.summarise(request)
    if answer.finish_reason == "refusal":
        raise CompactionFailed(f"{strategy}: {who} refused to write the summary.", _UNCHANGED)
    if answer.finish_reason == "length":
        text = f"{strategy}: the summary of {who} ended too early (finish reason: length)."
        raise CompactionFailed(text, _UNCHANGED)
    if not trim(answer.text):
        raise CompactionFailed(f"{strategy}: {who} wrote an empty summary.", _UNCHANGED)
    return summariser, answer


def aggregate(chunks: Iterable[Sequence[Block]]) -> str:
    """The text of a streamed answer: texts joined, one space where something else came between.

    Thinking is never part of it (llxprt.md section 5.2).
    """
    text, gap = "", False
    for chunk in chunks:
        for block in chunk:
            if not isinstance(block, Text):
                gap = True
            else:
                text += (" " if gap and text else "") + block.text
                gap = False
    return text


def continuation(todos: str) -> str:
    """What the model says after the summary: the first active task, or a plain sentence."""
    task = first_task(todos)
    return f"Understood. Continuing with: {task}." if task else "Understood. Continuing from here."


def first_task(todos: str) -> str:
    """The text of the first line ``- [status] text``; without a bracket the whole line."""
    line = trim(todos).partition("\n")[0]
    _, bracket, rest = line.partition("]")
    return trim(rest if bracket else line)


def reference_continuation(variant: str, todos: str) -> str:
    """The acknowledgement as the reference's variant writes it (llxprt.md section 5.1)."""
    if variant in ("cs", "hd"):
        return "Got it. Thanks for the additional context!"
    task = first_task(todos)
    if not task:
        return "Understood. Continuing with the current task."
    return f'Understood. Continue with current task: "{task}". Use todo_read for full context.'
