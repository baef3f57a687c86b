"""Hybrid's summaries of human and ai messages, the oldest first, one request each or several in one (LH)."""

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
from core.settings.prompts import fill_placeholders
from core.strategies.helpers import ask_summariser, call_record
from core.strategies.hybrid.direct_run import HybridRun, SummaryCandidate
from core.strategies.hybrid.placeholder_lines import TALK, cut_text, is_marked, text_of
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Block, Code, Message, Speaker, Text

USER_PROMPT = "hybrid-user"
ASSISTANT_PROMPT = "hybrid-assistant"
TEMPERATURE = 0.3

_LEAST = 16  # tokens; a summary with fewer says too little, so that messages below twice as many stay
_MOST_IN_BATCH = 8
_MOST_FAILURES = 5  # in a row; after them the model is not asked again
_MOST_TOLD = 200_000  # messages remembered from run to run
_TRIGGER = "Write the compressed message now, and nothing else."
_TRIGGERS = (
    "Write the {count} compressed messages now, each on a line of its own that begins with the number of its "
    "message in square brackets, and nothing else."
)
_BATCH = (
    "\n\nHere are several messages; the number of each stands in square brackets before it. Compress every "
    "one by itself, by the rules above."
)
_NUMBER = re.compile(r"^[ \t]*\[(\d+)\][ \t:]*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _SpeakerLimits:
    """How messages of one speaker are compressed; ``most`` and ``output`` in tokens, ``cut`` in bytes."""

    prompt: str
    most: int
    output: int
    cut: int


@dataclass(frozen=True, slots=True)
class _TextMessage:
    """A message whose text can be summarised, the most tokens of its summary, and of the rest of it."""

    index: int
    message: Message
    most: int
    rest: int


def summarise_messages(run: HybridRun) -> None:
    """Summarise old human and ai messages until the target is met; calls stay with their message."""
    if run.is_done:
        return
    kinds = _kinds(run)
    waiting = deque(_waiting(run, kinds))
    size = _MOST_IN_BATCH if run.context.values.flag(HYBRID_BATCH) else 1
    in_a_row = 0
    while waiting and not run.is_done:
        for speaker, group in _group(run, waiting, size).items():
            if in_a_row < _MOST_FAILURES:
                found = _asked(run, kinds[speaker], group)
                in_a_row = 0 if found else in_a_row + 1
            else:
                found = {}
            for talk in group:
                _settle(run, talk, kinds[speaker], found.get(talk.index))
    if run.failures:
        run.warnings.append(_failed(run, asked=in_a_row < _MOST_FAILURES))


def _kinds(run: HybridRun) -> Mapping[Speaker, _SpeakerLimits]:
    """The limits of the seed: 60 tokens of output for 50, 250 for 200; a cut text has four bytes a token."""
    user = run.context.values.whole(HYBRID_USER)
    assistant = run.context.values.whole(HYBRID_ASSISTANT)
    return {
        Speaker.HUMAN: _SpeakerLimits(USER_PROMPT, user, user * 6 // 5, user * 4),
        Speaker.AI: _SpeakerLimits(ASSISTANT_PROMPT, assistant, assistant * 5 // 4, assistant * 4),
    }


def _waiting(run: HybridRun, kinds: Mapping[Speaker, _SpeakerLimits]) -> list[_TextMessage]:
    """The messages that may be summarised, and for the others the reason why they stay."""
    found = []
    mark = run.tokens(human_text(TALK))
    for index, original in enumerate(run.context.history):
        if original.speaker not in kinds or index in run.protected or index in run.drops:
            continue
        message = run.message(index)
        told = _told(run, message)
        if told.why:
            run.keep(index, *told.why)
            continue
        text = told.tokens
        most = min(kinds[message.speaker].most, text // 2)
        if most < _LEAST or mark + most >= text:
            run.keep(index, "short", "It is too short for a summary to be shorter.")
            continue
        found.append(_TextMessage(index, message, most, run.tokens(message) - text + mark))
    return found


def _told(run: HybridRun, message: Message) -> SummaryCandidate:
    """A message as it is for summaries; found out once."""
    known = run.memory.talk.get(id(message))
    if known is None:
        if len(run.memory.talk) >= _MOST_TOLD:  # each run may make new messages
            run.memory.talk.clear()
        why = _stays(message)
        text = 0 if why else run.tokens(replace(message, blocks=tuple(filter(_is_text, message.blocks))))
        known = run.memory.talk[id(message)] = SummaryCandidate(message, why, text)
    return known


def _stays(message: Message) -> tuple[str, str] | None:
    if not text_of(message).strip():
        return "no text", "It has no text; what else is in it stays."
    if is_marked(text_of(message)):
        return "shortened before", "An earlier run shortened it; nothing is shortened twice."
    if is_summary(message):
        return "earlier summary", "It is the summary of an earlier compaction."
    return None


def _group(run: HybridRun, waiting: deque[_TextMessage], size: int) -> Mapping[Speaker, list[_TextMessage]]:
    """The next messages, no more than are likely to be needed, by speaker."""
    group: dict[Speaker, list[_TextMessage]] = {}
    gap = run.total - run.target
    for _ in range(min(size, len(waiting))):
        talk = waiting.popleft()
        group.setdefault(talk.message.speaker, []).append(talk)
        gap -= run.tokens(talk.message) - talk.rest - talk.most
        if gap <= 0:
            break
    return group


def _asked(
    run: HybridRun, kind: _SpeakerLimits, group: Sequence[_TextMessage]
) -> Mapping[int, SummaryResponse]:
    """The summaries by index; none for what failed, whose cause is noted."""
    try:
        request = _request(run, kind, group)
        writer, answer = ask_summariser(run.context, run.strategy, request)
    except StrategyError as error:
        run.failures += [error.message] * len(group)
        return {}
    run.calls.append(call_record(run.context, request, writer, answer, _purpose(run, group)))
    run.warnings += [text for text in answer.warnings if text not in run.warnings]
    run.unwritten = run.unwritten or answer.unwritten
    if len(group) == 1 or answer.unwritten:
        return {talk.index: answer for talk in group}
    texts = _parsed(answer.text, len(group))
    missing = len(group) - len(texts)
    run.failures += [f"{writer.profile} ({writer.model}) left out messages of a batch."] * missing
    return {group[number - 1].index: replace(answer, text=text) for number, text in texts.items()}


def _request(run: HybridRun, kind: _SpeakerLimits, group: Sequence[_TextMessage]) -> SummaryRequest:
    context = run.context
    several = len(group) > 1
    most = max(talk.most for talk in group)
    prompt = context.prompts.get(kind.prompt, context.prompt)
    prompt = fill_placeholders(prompt, {"max_tokens": str(most), "focus": context.focus})
    messages = tuple(_words(talk.message, number if several else 0) for number, talk in enumerate(group, 1))
    return SummaryRequest(
        prompt.rstrip() + (_BATCH if several else ""),
        messages,
        tuple(talk.index for talk in group),
        _TRIGGERS.format(count=len(group)) if several else _TRIGGER,
        sum(talk.most for talk in group),
        focus=context.focus,
        temperature=TEMPERATURE,
        most_output=kind.output * len(group),
        purpose=_purpose(run, group),
    )


def _purpose(run: HybridRun, group: Sequence[_TextMessage]) -> str:
    return ", ".join(run.context.span(talk.index, talk.index + 1) for talk in group)


def _words(message: Message, number: int) -> Message:
    """A message with nothing but its text, behind its number in a batch."""
    blocks = tuple(filter(_is_text, message.blocks))
    mark: tuple[Block, ...] = (Text(f"[{number}]"),) if number else ()
    return Message(message.speaker, (*mark, *blocks))


def _parsed(text: str, count: int) -> Mapping[int, str]:
    """The numbered answers to a batch; one that is empty, or whose number comes twice, does not count."""
    marks = list(_NUMBER.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    numbers = [int(mark[1]) for mark in marks]
    found = {}
    for mark, end in zip(marks, ends, strict=False):
        number, said = int(mark[1]), text[mark.end() : end].strip()
        if said and 1 <= number <= count and numbers.count(number) == 1:
            found[number] = said
    return found


def _settle(run: HybridRun, talk: _TextMessage, kind: _SpeakerLimits, answer: SummaryResponse | None) -> None:
    """Put the summary in place where it is shorter; without one do as the setting says."""
    place = run.context.span(talk.index, talk.index + 1)
    if answer is not None:
        step = FateStep(
            "summary", FateKind.SUMMARISED, f"Summarised by itself, in at most {talk.most} tokens."
        )
        new = _with_text(talk.message, TALK + " ".join(answer.text.split()))
        if answer.unwritten:
            size = talk.rest + talk.most
            run.sizes[talk.index] = size
            run.change(talk.index, new, step, size)
        elif run.tokens(new) < run.tokens(talk.message):
            run.change(talk.index, new, step)
        else:
            run.keep(talk.index, "not shorter", f"The summary of {place} was not shorter than the message.")
        return
    cut = _with_text(talk.message, cut_text(text_of(talk.message).strip(), kind.cut))
    if run.context.values.text(HYBRID_FAILURE) == "truncate" and run.tokens(cut) < run.tokens(talk.message):
        reason = f"Its summary failed; its first {kind.cut} bytes stay."
        run.change(talk.index, cut, FateStep("cut off", FateKind.EDITED, reason))
    else:
        run.keep(talk.index, "summary failed", "Its summary failed, so that it stays whole.")


def _with_text(message: Message, text: str) -> Message:
    """A message whose texts are replaced by one, at the place of the first; all other blocks stay."""
    first = next(place for place, block in enumerate(message.blocks) if _is_text(block))
    blocks = [
        Text(text) if place == first else block
        for place, block in enumerate(message.blocks)
        if place == first or not _is_text(block)
    ]
    return replace(message, blocks=tuple(blocks))


def _is_text(block: Block) -> bool:
    return isinstance(block, Text | Code)


def _failed(run: HybridRun, *, asked: bool) -> str:
    """How many summaries failed, why, and what became of the messages."""
    count = len(run.failures)
    cut = run.context.values.text(HYBRID_FAILURE) == "truncate"
    became = "the start of each message stays" if cut else "the messages stay whole"
    what = "1 summary" if count == 1 else f"{count:,} summaries"
    given_up = "" if asked else f" After {_MOST_FAILURES} failures in a row the model was not asked again."
    return f"{what} failed, {became}. {run.failures[0]}{given_up}"
