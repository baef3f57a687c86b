"""Hybrid's summaries of single human and ai messages, oldest first, one or several per request
(LH)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.errors import StrategyError
from core.facts.sentences import is_summary
from core.llm.chat_messages import human_text
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.settings.keys import HYBRID_ASSISTANT, HYBRID_BATCH, HYBRID_FAILURE, HYBRID_USER
from core.settings.prompts.placeholders import fill_placeholders
from core.strategies.helpers import ask_summariser, call_record
from core.strategies.hybrid.placeholder_lines import SUMMARY, cut_text, is_marked
from core.strategies.hybrid.tool_results import HybridRun
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Block, Code, Message, Speaker, Text, joined_text

USER_PROMPT = "hybrid-user"
ASSISTANT_PROMPT = "hybrid-assistant"
TEMPERATURE = 0.3
_TRUNCATE = "truncate"  # the value of hybrid.on_failure that keeps the start of a message

_MIN_SUMMARY = 16  # tokens; shorter summaries say too little, so messages below twice as many stay
_MAX_BATCH = 8
_MAX_FAILURES = 5  # consecutive ones, after which the model is not called again
_TRIGGER = "Write the compressed message now, and nothing else."
_BATCH_TRIGGER = (
    "Write the {count} compressed messages now, each on a line of its own that begins with the number of its "
    "message in square brackets, and nothing else."
)
_BATCH_RULE = (
    "\n\nHere are several messages; the number of each stands in square brackets before it. Compress every "
    "one by itself, by the rules above."
)
_NUMBER = re.compile(r"^[ \t]*\[(\d+)\][ \t:]*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _SpeakerLimits:
    """The limits for messages of one speaker; ``summary_tokens`` and ``output_tokens`` in tokens,
    ``cut_bytes`` in bytes."""

    prompt: str
    summary_tokens: int
    output_tokens: int
    cut_bytes: int


@dataclass(frozen=True, slots=True)
class _TextMessage:
    """A message to summarise, the token budget of its summary, and the tokens of its other
    blocks."""

    index: int
    message: Message
    budget: int
    other_tokens: int


def summarise_messages(run: HybridRun) -> None:
    """Summarise old human and ai messages until the target is met; calls stay with their
    message."""
    if run.is_done:
        return
    limits = _limits_by_speaker(run)
    waiting = deque(_messages_to_summarise(run, limits))
    batch_size = _MAX_BATCH if run.context.values.flag(HYBRID_BATCH) else 1
    consecutive_failures = 0
    while waiting and not run.is_done:
        for speaker, group in _next_group(run, waiting, batch_size).items():
            responses: Mapping[int, SummaryResponse] = {}
            if consecutive_failures < _MAX_FAILURES:
                responses = _request_summaries(run, limits[speaker], group)
                consecutive_failures = 0 if responses else consecutive_failures + 1
            for message in group:
                _apply_summary(run, message, limits[speaker], responses.get(message.index))
    if run.summaries.failures:
        has_stopped = consecutive_failures >= _MAX_FAILURES
        run.summaries.warnings.append(_failure_warning(run, has_stopped=has_stopped))


def _failure_warning(run: HybridRun, *, has_stopped: bool) -> str:
    """Return how many summaries failed, what stands instead, and the first reason."""
    count = len(run.summaries.failures)
    subject = "1 summary" if count == 1 else f"{count:,} summaries"
    outcome = "the messages stay whole"
    if run.context.values.text(HYBRID_FAILURE) == _TRUNCATE:
        outcome = "the start of each message stays"
    warning = f"{subject} failed, {outcome}. {run.summaries.failures[0]}"
    if has_stopped:
        warning += f" After {_MAX_FAILURES} failures in a row the model was not asked again."
    return warning


def _limits_by_speaker(run: HybridRun) -> Mapping[Speaker, _SpeakerLimits]:
    """Return the limits: 60 tokens of output for 50, 250 for 200 (LH-47); cut texts have 4 bytes a
    token."""
    user = run.context.values.integer(HYBRID_USER)
    assistant = run.context.values.integer(HYBRID_ASSISTANT)
    return {
        Speaker.HUMAN: _SpeakerLimits(USER_PROMPT, user, user * 6 // 5, user * 4),
        Speaker.AI: _SpeakerLimits(ASSISTANT_PROMPT, assistant, assistant * 5 // 4, assistant * 4),
    }


def _messages_to_summarise(
    run: HybridRun, limits: Mapping[Speaker, _SpeakerLimits]
) -> list[_TextMessage]:
    """Return the messages to summarise; note for the others why they stay."""
    messages = []
    mark_tokens = run.tokens(human_text(SUMMARY))
    for index, original in enumerate(run.context.history):
        if original.speaker not in limits or index in run.protected or index in run.drops:
            continue
        message = run.message(index)
        if keep_reason := _reason_to_keep(message):
            run.keep(index, *keep_reason)
            continue
        text_tokens = run.tokens(replace(message, blocks=tuple(filter(_is_text, message.blocks))))
        budget = min(limits[message.speaker].summary_tokens, text_tokens // 2)
        if budget < _MIN_SUMMARY or mark_tokens + budget >= text_tokens:
            run.keep(index, "short", "It is too short for a summary to be shorter.")
            continue
        messages.append(
            _TextMessage(index, message, budget, run.tokens(message) - text_tokens + mark_tokens)
        )
    return messages


def _reason_to_keep(message: Message) -> tuple[str, str] | None:
    if not joined_text(message).strip():
        return "no text", "It has no text; what else is in it stays."
    if is_marked(joined_text(message)):
        return "shortened before", "An earlier run shortened it; nothing is shortened twice."
    if is_summary(message):
        return "earlier summary", "It is the summary of an earlier compaction."
    return None


def _next_group(
    run: HybridRun, waiting: deque[_TextMessage], size: int
) -> Mapping[Speaker, list[_TextMessage]]:
    """Return the next messages by speaker, no more than are probably needed."""
    group: dict[Speaker, list[_TextMessage]] = {}
    excess_tokens = run.total - run.target
    for _ in range(min(size, len(waiting))):
        item = waiting.popleft()
        group.setdefault(item.message.speaker, []).append(item)
        excess_tokens -= run.tokens(item.message) - item.other_tokens - item.budget
        if excess_tokens <= 0:
            break
    return group


def _request_summaries(
    run: HybridRun, limits: _SpeakerLimits, group: Sequence[_TextMessage]
) -> Mapping[int, SummaryResponse]:
    """Return the summaries by index, without failed ones, whose causes are noted."""
    try:
        request = _request(run, limits, group)
        summariser, response = ask_summariser(run.context, run.strategy, request)
    except StrategyError as error:
        run.summaries.failures += [error.message] * len(group)
        return {}
    run.summaries.calls.append(
        call_record(run.context, request, summariser, response, _purpose(run, group))
    )
    run.summaries.warnings += [
        text for text in response.warnings if text not in run.summaries.warnings
    ]
    run.summaries.unwritten = run.summaries.unwritten or response.unwritten
    if len(group) == 1 or response.unwritten:
        return {item.index: response for item in group}
    texts = _parse_batch(response.text, len(group))
    missing = len(group) - len(texts)
    run.summaries.failures += [
        f"{summariser.profile} ({summariser.model}) left out messages of a batch."
    ] * missing
    return {group[number - 1].index: replace(response, text=text) for number, text in texts.items()}


def _request(
    run: HybridRun, limits: _SpeakerLimits, group: Sequence[_TextMessage]
) -> SummaryRequest:
    context, is_batch = run.context, len(group) > 1
    placeholders = {"max_tokens": str(max(item.budget for item in group)), "focus": context.focus}
    prompt = fill_placeholders(context.prompts.get(limits.prompt, context.prompt), placeholders)
    messages = []
    for number, item in enumerate(group, 1):
        mark: tuple[Block, ...] = (Text(f"[{number}]"),) if is_batch else ()
        messages.append(
            Message(
                speaker=item.message.speaker, blocks=(*mark, *filter(_is_text, item.message.blocks))
            )
        )
    return SummaryRequest(
        prompt=prompt.rstrip() + (_BATCH_RULE if is_batch else ""),
        messages=tuple(messages),
        indices=tuple(item.index for item in group),
        trigger=_BATCH_TRIGGER.format(count=len(group)) if is_batch else _TRIGGER,
        max_tokens=sum(item.budget for item in group),
        focus=context.focus,
        temperature=TEMPERATURE,
        max_output_tokens=limits.output_tokens * len(group),
        purpose=_purpose(run, group),
        prompt_name=limits.prompt,
    )


def _purpose(run: HybridRun, group: Sequence[_TextMessage]) -> str:
    return ", ".join(run.context.span(item.index, item.index + 1) for item in group)


def _parse_batch(text: str, count: int) -> Mapping[int, str]:
    """Return the numbered summaries of a batch; empty and repeated ones do not count."""
    marks = list(_NUMBER.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    numbers = [int(mark[1]) for mark in marks]
    summaries = {}
    for mark, end in zip(marks, ends, strict=False):
        number, summary = int(mark[1]), text[mark.end() : end].strip()
        if summary and 1 <= number <= count and numbers.count(number) == 1:
            summaries[number] = summary
    return summaries


def _apply_summary(
    run: HybridRun, item: _TextMessage, limits: _SpeakerLimits, response: SummaryResponse | None
) -> None:
    """Insert the summary where it is shorter; without one, act as the setting says."""
    span = run.context.span(item.index, item.index + 1)
    if response is not None:
        step = FateStep(
            "summary",
            FateKind.SUMMARISED,
            f"Summarised by itself, in at most {item.budget} tokens.",
        )
        new = _with_text(item.message, SUMMARY + " ".join(response.text.split()))
        if response.unwritten:
            size = item.other_tokens + item.budget
            run.summaries.budgets[item.index] = size
            run.change(item.index, new, step, size)
        elif run.tokens(new) < run.tokens(item.message):
            run.change(item.index, new, step)
        else:
            run.keep(
                item.index,
                "not shorter",
                f"The summary of {span} was not shorter than the message.",
            )
        return
    cut = _with_text(item.message, cut_text(joined_text(item.message).strip(), limits.cut_bytes))
    if run.context.values.text(HYBRID_FAILURE) == _TRUNCATE and run.tokens(cut) < run.tokens(
        item.message
    ):
        reason = f"Its summary failed; its first {limits.cut_bytes} bytes stay."
        run.change(item.index, cut, FateStep("cut off", FateKind.EDITED, reason))
    else:
        run.keep(item.index, "summary failed", "Its summary failed, so that it stays whole.")


def _with_text(message: Message, text: str) -> Message:
    """Replace the texts of a message by one, at the place of the first; all other blocks stay."""
    first = next(block_index for block_index, block in enumerate(message.blocks) if _is_text(block))
    others = [
        [block for block in part if not _is_text(block)]
        for part in (message.blocks[:first], message.blocks[first:])
    ]
    return replace(message, blocks=(*others[0], Text(text), *others[1]))


def _is_text(block: Block) -> bool:
    return isinstance(block, Text | Code)
