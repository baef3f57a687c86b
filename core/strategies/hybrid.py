"""The hybrid strategy: tool results become metadata, old messages are summarised singly (LH).
Display-only messages are dropped first; tool results, old injections of context and old messages
follow until the target is met. Alike in both modes."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from core.common.errors import StrategyError
from core.common.number_format import share_of
from core.facts.sentences import is_summary
from core.llm.protocol import SummaryRequest, SummaryResponse, human_text
from core.settings import schema
from core.settings.prompts import fill_placeholders
from core.settings.schema import (
    HYBRID_ASSISTANT,
    HYBRID_BATCH,
    HYBRID_FAILURE,
    HYBRID_USER,
    Values,
    share_of_aim,
)
from core.strategies import hybrid_agent as hybrid_agent
from core.strategies import names
from core.strategies.base import (
    CheckPoint,
    HistoryEdits,
    Strategy,
    StrategyContext,
    Trigger,
    TriggerMode,
)
from core.strategies.helpers import (
    ask_summariser,
    call_record,
    empty_history_no_op,
    no_op_compaction,
    require_limit,
    target_fraction,
    within_target,
)
from core.strategies.hybrid_state import is_display_only
from core.strategies.hybrid_tool_results import (
    SUMMARY,
    HybridRun,
    cut_text,
    finish_run,
    injection_line,
    is_marked,
    shorten_results,
)
from core.strategies.tracker import (
    FileTracker,
    ToolWork,
    build_tracker,
    find_tool_work,
    moves_shell,
)
from core.transcript.compaction import Compaction, FateKind, FateStep, NoOpCode
from core.transcript.model import (
    NOT_TYPED,
    Block,
    Code,
    Message,
    Speaker,
    Text,
    joined_text,
    tool_calls,
    tool_responses,
)
from core.transcript.todos import todo_call_ids
from core.transcript.tool_pairs import BlockPlace

USER_PROMPT = "hybrid-user"
ASSISTANT_PROMPT = "hybrid-assistant"
TEMPERATURE = 0.3
_TRUNCATE = "truncate"  # the value of compression.hybrid.on-failure that keeps the start of a message

_MIN_SUMMARY = (
    16  # tokens; shorter summaries say too little, so messages below twice as many stay
)
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
                if responses:
                    consecutive_failures = 0
                else:
                    consecutive_failures = consecutive_failures + 1
            for message in group:
                _apply_summary(
                    run, message, limits[speaker], responses.get(message.index)
                )
    if run.summaries.failures:
        has_stopped = consecutive_failures >= _MAX_FAILURES
        run.summaries.warnings.append(_failure_warning(run, has_stopped=has_stopped))


def _failure_warning(run: HybridRun, *, has_stopped: bool) -> str:
    """Return how many summaries failed, what stands instead, and the first reason."""
    count = len(run.summaries.failures)
    if count == 1:
        subject = "1 summary"
    else:
        subject = f"{count:,} summaries"
    outcome = "the messages stay whole"
    if run.context.values.text(HYBRID_FAILURE) == _TRUNCATE:
        outcome = "the start of each message stays"
    warning = f"{subject} failed, {outcome}. {run.summaries.failures[0]}"
    if has_stopped:
        warning += (
            f" After {_MAX_FAILURES} failures in a row the model was not asked again."
        )
    return warning


def _limits_by_speaker(run: HybridRun) -> Mapping[Speaker, _SpeakerLimits]:
    """Return the limits: 60 tokens of output for 50, 250 for 200 (LH-47); cut texts have 4 bytes a
    token."""
    user = run.context.values.integer(HYBRID_USER)
    assistant = run.context.values.integer(HYBRID_ASSISTANT)
    return {
        Speaker.HUMAN: _SpeakerLimits(USER_PROMPT, user, user * 6 // 5, user * 4),
        Speaker.AI: _SpeakerLimits(
            ASSISTANT_PROMPT, assistant, assistant * 5 // 4, assistant * 4
        ),
    }


def _messages_to_summarise(
    run: HybridRun, limits: Mapping[Speaker, _SpeakerLimits]
) -> list[_TextMessage]:
    """Return the messages to summarise; note for the others why they stay."""
    messages = []
    mark_tokens = run.tokens(human_text(SUMMARY))
    for index, original in enumerate(run.context.history):
        if (
            original.speaker not in limits
            or index in run.protected
            or index in run.drops
        ):
            continue
        message = run.message(index)
        if keep_reason := _reason_to_keep(message):
            run.keep(index, *keep_reason)
            continue
        text_tokens = run.tokens(
            replace(message, blocks=tuple(filter(_is_text, message.blocks)))
        )
        budget = min(limits[message.speaker].summary_tokens, text_tokens // 2)
        if budget < _MIN_SUMMARY or mark_tokens + budget >= text_tokens:
            run.keep(index, "short", "It is too short for a summary to be shorter.")
            continue
        messages.append(
            _TextMessage(
                index, message, budget, run.tokens(message) - text_tokens + mark_tokens
            )
        )
    return messages


def _reason_to_keep(message: Message) -> tuple[str, str] | None:
    if not joined_text(message).strip():
        return "no text", "It has no text; what else is in it stays."
    if is_marked(joined_text(message)):
        return (
            "shortened before",
            "An earlier run shortened it; nothing is shortened twice.",
        )
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
        # How long a summary will be is not known yet; its budget stands for it.
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
    return {
        group[number - 1].index: replace(response, text=text)
        for number, text in texts.items()
    }


def _request(
    run: HybridRun, limits: _SpeakerLimits, group: Sequence[_TextMessage]
) -> SummaryRequest:
    context = run.context
    is_batch = len(group) > 1
    placeholders = {
        "max_tokens": str(max(item.budget for item in group)),
        "focus": context.focus,
    }
    prompt = fill_placeholders(
        context.prompts.get(limits.prompt, context.prompt), placeholders
    )
    messages = []
    for number, item in enumerate(group, 1):
        mark: tuple[Block, ...] = (Text(f"[{number}]"),) if is_batch else ()
        messages.append(
            Message(
                speaker=item.message.speaker,
                blocks=(*mark, *filter(_is_text, item.message.blocks)),
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
        number = int(mark[1])
        summary = text[mark.end() : end].strip()
        # A number that comes twice may be one of a message's own text.
        if summary and 1 <= number <= count and numbers.count(number) == 1:
            summaries[number] = summary
    return summaries


def _apply_summary(
    run: HybridRun,
    item: _TextMessage,
    limits: _SpeakerLimits,
    response: SummaryResponse | None,
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
    cut = _with_text(
        item.message, cut_text(joined_text(item.message).strip(), limits.cut_bytes)
    )
    if run.context.values.text(HYBRID_FAILURE) == _TRUNCATE and run.tokens(
        cut
    ) < run.tokens(item.message):
        reason = f"Its summary failed; its first {limits.cut_bytes} bytes stay."
        run.change(item.index, cut, FateStep("cut off", FateKind.EDITED, reason))
    else:
        run.keep(
            item.index, "summary failed", "Its summary failed, so that it stays whole."
        )


def _with_text(message: Message, text: str) -> Message:
    """Replace the texts of a message by one, at the place of the first with words: a blank one may
    stand in front of thinking, where Anthropic takes no words. All other blocks stay."""
    places = [at for at, block in enumerate(message.blocks) if _is_text(block)]
    first = next(filter(lambda at: _has_words(message.blocks[at]), places), places[0])
    others = [
        [block for block in part if not _is_text(block)]
        for part in (message.blocks[:first], message.blocks[first:])
    ]
    return replace(message, blocks=(*others[0], Text(text), *others[1]))


def _has_words(block: Block) -> bool:
    return isinstance(block, Text) and bool(block.text.strip())


def _is_text(block: Block) -> bool:
    return isinstance(block, Text | Code)


NAME = names.HYBRID
TARGET = 0.40  # the target that belongs to the declared trigger


def compress(context: StrategyContext) -> Compaction:
    """Compress single messages until the target is met (LH-01 to LH-05); InputError without a
    limit."""
    values = context.values
    count = len(context.history)
    if not count:
        return empty_history_no_op(context, NAME)
    limit = require_limit(context, NAME)
    min_messages = values.integer(schema.HYBRID_MIN)
    if count < min_messages:
        reason = (
            f"The history has {count:,} messages, fewer than {schema.HYBRID_MIN} asks for: "
            f"{min_messages:,}."
        )
        return no_op_compaction(
            context,
            NAME,
            NoOpCode.TOO_FEW,
            reason,
            f"{schema.HYBRID_MIN}=0",
            parts=None,
        )
    target, lowered = _target(values, limit)
    work = find_tool_work(context.history, progress=context.progress)
    compaction = _compact(context, build_tracker(context.history, work), work, target)
    if lowered:
        return replace(compaction, warnings=(lowered, *compaction.warnings))
    return compaction


def _target(values: Values, limit: int) -> tuple[int, str]:
    """Return the target in tokens, and a sentence where it was lowered."""
    configured = share_of_aim(values.number(schema.HYBRID_TARGET), limit)
    fraction, lowered = target_fraction(STRATEGY, values, configured, TARGET)
    return share_of(limit, fraction), lowered


def _compact(
    context: StrategyContext,
    tracker: FileTracker,
    work: Mapping[BlockPlace, ToolWork],
    target: int,
) -> Compaction:
    """Run the agent where it is selected and available, else the direct mode."""
    wants_agent = context.values.text(schema.HYBRID_MODE) == hybrid_agent.MODE
    # Below the target no model need be asked to find that nothing is to do.
    is_above = context.estimate_tokens(context.history) + context.hidden > target
    if wants_agent and context.agent is not None and is_above:
        protected = protected_messages(
            context.history, context.values.integer(schema.HYBRID_PROTECTED)
        )
        message_target = target - context.hidden
        compaction = hybrid_agent.run_agent(
            context, tracker, message_target, protected, strategy=STRATEGY
        )
        return replace(compaction, target=target)
    compaction = compact_directly(context, tracker, target, work)
    if not wants_agent or context.agent is not None:
        return compaction
    warning = f"{schema.HYBRID_MODE} is agent: until the run, this shows what direct would do."
    if not compaction.budgets:
        name = context.summariser(context.profile).profile
        missing = f"the profile {name} has no model with tools"
        warning = f"{schema.HYBRID_MODE} is agent, but {missing}: direct ran instead."
    return replace(compaction, warnings=(warning, *compaction.warnings))


def compact_directly(
    context: StrategyContext,
    tracker: FileTracker,
    target: int,
    work: Mapping[BlockPlace, ToolWork] | None = None,
) -> Compaction:
    """Compress in direct mode to ``target`` tokens; ``work`` is that of the history if known."""
    history = context.history
    max_count = context.values.integer(schema.HYBRID_PROTECTED)
    protected = protected_messages(history, max_count)
    total = context.estimate_tokens(history) + context.hidden
    if work is None:
        works = find_tool_work(history)
    else:
        works = work
    run = HybridRun(
        strategy=NAME,
        context=context,
        tracker=tracker,
        tool_work=works,
        target=target,
        protected=protected,
        total=total,
    )
    reason = f"It is among the newest {max_count} messages of talk, or the last of the person."
    for index in protected:
        run.keep(index, "protected", reason)
    step = FateStep(
        "display only", FateKind.DROPPED, "It is only shown, and never sent to a model."
    )
    for index, message in enumerate(history):  # dropped whatever the target is
        if is_display_only(message) and index not in protected:
            run.drop(index, step)
    shorten_results(run)
    _shorten_injections(run)
    summarise_messages(run)
    if not run.changes and not run.drops:
        return _no_op_run(run)
    return finish_run(run)


def protected_messages(history: Sequence[Message], max_count: int) -> frozenset[int]:
    """Return the newest human and ai messages with text, and the user's last one (LH-03, LH-04).
    Harness rows, commands and provider errors do not count."""
    newest: list[int] = []
    last: int | None = None
    for index in range(len(history) - 1, -1, -1):
        # The last message of the person may be older than all that are protected.
        if len(newest) >= max_count and last is not None:
            break
        if _is_conversation(history[index]):
            newest += [index] if len(newest) < max_count else []
            last = (
                index
                if last is None and history[index].speaker is Speaker.HUMAN
                else last
            )
    return frozenset(newest if last is None else (*newest, last))


def _is_conversation(message: Message) -> bool:
    return (
        message.speaker in (Speaker.HUMAN, Speaker.AI)
        and not message.flags & NOT_TYPED
        and bool(joined_text(message).strip())
        and not is_summary(message)
    )


def _shorten_injections(run: HybridRun) -> None:
    """Shorten all system messages but the first and the newest to one line each (LH-18 to
    LH-20)."""
    history = run.context.history
    injections = [
        index
        for index, message in enumerate(history)
        if message.speaker is Speaker.SYSTEM
    ]
    for index in {*injections[:1], *injections[-1:]}:
        run.keep(
            index, "system message", "The first system message and the newest one stay."
        )
    for index in injections[1:-1]:
        text = joined_text(history[index])
        if run.is_done:
            return
        if is_marked(text) or is_summary(history[index]):
            run.keep(
                index,
                "shortened before",
                "It stands for what an earlier run shortened.",
            )
            continue
        line = replace(history[index], blocks=(Text(injection_line(text)),))
        if run.tokens(line) < run.tokens(history[index]):
            reason = "It is an older injection of context, and became one line."
            run.change(index, line, FateStep("old context", FateKind.EDITED, reason))


def _no_op_run(run: HybridRun) -> Compaction:
    if run.summaries.failures:
        code = NoOpCode.SUMMARY_FAILED
        reason = (
            f"Every summary failed, and there was nothing else to shorten. "
            f"{run.summaries.failures[0]}"
        )
    elif run.is_done:
        code = NoOpCode.UNDER_TARGET
        reason = within_target(run.total, run.target)
    else:
        code = NoOpCode.NOTHING_TO_PRUNE
        reason = "Nothing but protected messages is left that could get shorter."
    unchanged = no_op_compaction(run.context, NAME, code, reason, parts=None)
    return replace(
        unchanged,
        target=run.target,
        calls=tuple(run.summaries.calls),
        warnings=tuple(run.summaries.warnings),
        protected=tuple(sorted(run.protected)),
    )


_SETTLED = (
    *(
        "no text",
        "short",
        "not shorter",
        "shortened before",
        "earlier summary",
        "other tool",
    ),
    "nothing to shorten",
)
"""Rules of messages that every later run would leave as they are, too."""


class _IncrementalHybrid:
    """Runs the direct mode over the messages that may still change: what a run that missed its
    target has shortened, or could not shorten, is only counted from then on."""

    def __init__(self, count: Callable[[Message], int]) -> None:
        self._count = count
        self._indices: list[int] = []
        self._messages: list[Message] = []
        self._todo_ids: set[str] = set()
        self._settled_count = self._settled_tokens = 0
        self._touched: set[str] = set()  # by tools of settled messages
        self._shell_moved = False
        self._run: Compaction | None = None
        self._target = 0  # of the last run, for its messages alone

    def add(self, index: int, message: Message) -> None:
        self._indices.append(index)
        self._messages.append(message)
        self._todo_ids.update(todo_call_ids(message))

    def edits(self, context: StrategyContext) -> HistoryEdits | None:
        """Return the result of ``compress``; not known for an agent and for messages that go."""
        values = context.values
        history = tuple(self._messages)
        too_few = len(history) + self._settled_count < max(
            1, values.integer(schema.HYBRID_MIN)
        )
        if (
            too_few
            or context.limit is None
            or values.text(schema.HYBRID_MODE) == hybrid_agent.MODE
        ):
            return None
        target, _ = _target(values, context.limit)
        if any(map(is_display_only, history)):
            return None
        hidden = context.hidden + self._settled_tokens
        context = replace(
            context,
            history=history,
            sources=tuple(self._indices),
            hidden=hidden,
            # The pairs that are known have the indices of the whole history.
            known_pairs=None,
        )
        work = find_tool_work(history, self._touched, shell_moved=self._shell_moved)
        run = self._run = compact_directly(
            context, build_tracker(history, work), target, work
        )
        self._target = target - hidden
        old_and_new = zip(self._indices, history, run.messages, strict=True)
        edited = {index: new for index, old, new in old_and_new if new is not old}
        return HistoryEdits(edited, run.no_op, run.calls)

    def _note_touched(self, settled: Set[int]) -> None:
        """Remember the files of settled messages before these go."""
        work = find_tool_work(
            self._messages, self._touched, shell_moved=self._shell_moved
        )
        for (index, _), item in work.items():
            if index in settled and not item.failed:
                self._touched.update(file.path for file in item.files)

    def apply(self, edits: HistoryEdits) -> None:
        """Accept the last run; where it missed its target, it has looked at all messages."""
        assert self._run is not None
        self._messages = list(self._run.messages)
        if sum(map(self._count, self._messages)) <= self._target:
            return
        settled = set(filter(self._is_settled, range(len(self._messages))))
        self._note_touched(settled)
        gone = [self._messages[index] for index in settled]
        self._shell_moved = self._shell_moved or any(map(moves_shell, gone))
        self._settled_count += len(gone)
        self._settled_tokens += sum(map(self._count, gone))
        pending = [
            index for index in range(len(self._messages)) if index not in settled
        ]
        self._indices = [self._indices[index] for index in pending]
        self._messages = [self._messages[index] for index in pending]

    def _is_settled(self, index: int) -> bool:
        run, message = self._run, self._messages[index]
        assert run is not None
        ids = {call.id for call in tool_calls(message)} | {
            block.call_id for block in tool_responses(message)
        }
        if index in run.protected or not ids.isdisjoint(self._todo_ids):
            return False
        fate = run.fates[index]
        is_talk = message.speaker in (Speaker.HUMAN, Speaker.AI)
        if fate.kind is FateKind.KEPT:
            rule = fate.steps[-1].rule
            # A summary is tried again.
            return rule in _SETTLED and not (is_talk and rule == "not shorter")
        if is_talk:
            text = joined_text(message).strip()
        else:
            text = ""
        return not text or is_marked(text)


STRATEGY = Strategy(
    name=NAME,
    about="Shortens tool results; rewrites old messages one by one.",
    requires_llm=True,
    trigger=Trigger(
        mode=TriggerMode.THRESHOLD, threshold=0.70, check=CheckPoint.AFTER_USER
    ),
    options=(
        *(
            schema.HYBRID_MODE,
            schema.HYBRID_TARGET,
            schema.HYBRID_PROTECTED,
            schema.HYBRID_MIN,
        ),
        *(schema.HYBRID_USER, schema.HYBRID_ASSISTANT, schema.HYBRID_OTHER),
        *(
            schema.HYBRID_FAILURE,
            schema.HYBRID_BATCH,
            schema.PROFILE,
            schema.THRESHOLD,
            schema.LIMIT,
        ),
    ),
    compress=compress,
    needs_limit=True,
    prompts=(USER_PROMPT, ASSISTANT_PROMPT, hybrid_agent.PROMPT),
    incremental=_IncrementalHybrid,
)
