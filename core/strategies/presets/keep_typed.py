"""Keeps what the user typed and the model's last texts; drops older work until the target is met.
Cline's strategy without a model: calls and results go together, and a notice in each gap says what
the tools did."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, chain

from core.common.number_format import share_of
from core.facts.sentences import plain_text, shorten
from core.facts.shell_actions import FileVerb, file_operations, shell_command
from core.facts.tool_outcome import Outcome, tool_outcome
from core.llm.protocol import human_text
from core.strategies.base import StrategyContext
from core.strategies.draft import DraftEntry, HistoryDraft, with_edited, with_removed
from core.strategies.helpers import require_limit, within_target
from core.strategies.presets.preset import PassResult
from core.transcript.compaction import FateKind, FateStep, NoOp, NoOpCode
from core.transcript.model import (
    Code,
    Media,
    Message,
    MessageFlag,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
)
from core.transcript.opaque_history import holds_history
from core.transcript.tool_pairs import Pairs, TokenCount, find_pairs

RULE = "typed messages stay"
_MAX_COMMAND = 100  # characters
_MAX_NAMES = 50  # files or commands by name; the rest is counted
_HARNESS_FLAGS = MessageFlag.META | MessageFlag.COMMAND | MessageFlag.API_ERROR
_NOTHING = "Nothing may go: what a person typed, the last words of the model, and unanswered calls stay."


@dataclass(frozen=True, slots=True)
class DropOldestWork:
    """Drops work of the model and its tools, oldest first, until ``target`` (a share of the limit)
    is met. Messages typed by the user stay, as does the text of the newest ``keep_texts`` model
    messages with text, and the last turn while its calls are unanswered."""

    target: float
    keep_texts: int

    def apply(self, context: StrategyContext, draft: HistoryDraft) -> PassResult:
        """Replace each run of dropped messages by a notice."""
        limit = require_limit(context, "A target that is a share of the limit")
        target = self._target_tokens(limit)
        messages = draft.messages
        estimate = context.estimate_tokens
        total = context.outside_tokens + estimate(messages)
        plan = self.plan(estimate, messages, range(len(messages)), total, limit)
        if isinstance(plan, NoOp):
            return PassResult(draft, note=plan.reason, code=plan.code, target=target)
        result = self._drop_groups(draft, plan, plan.group_count(estimate), target)
        kept_steps = self._kept_steps(draft, plan, target)
        return PassResult(result, kept_steps, target=target)

    def plan(
        self,
        estimate: TokenCount,
        messages: Sequence[Message],
        indices: Sequence[int],
        total: int,
        limit: int,
    ) -> DropPlan | NoOp:
        """Return what may go of a context of ``total`` tokens, oldest first, or why nothing
        does."""
        target = self._target_tokens(limit)
        if total <= target:
            return NoOp(NoOpCode.UNDER_TARGET, within_target(total, target))
        plan = self._plan_groups(estimate, messages, indices, total - target)
        if plan.groups:
            return plan
        return NoOp(NoOpCode.NOTHING_TO_PRUNE, _NOTHING)

    def _target_tokens(self, limit: int) -> int:
        return share_of(limit, self.target)

    def _plan_groups(
        self,
        estimate: TokenCount,
        messages: Sequence[Message],
        indices: Sequence[int],
        needed_tokens: int,
    ) -> DropPlan:
        pairs = find_pairs(messages)
        ai = [i for i, message in enumerate(messages) if message.speaker is Speaker.AI]
        # The last turn stays while its calls are unanswered.
        is_open = bool(ai) and any(index == ai[-1] for index, _ in pairs.unanswered)
        end = ai[-1] if is_open else len(messages)
        texts = self._newest_texts(messages, ai)
        groups: list[tuple[int, ...]] = []
        savings: list[int] = []
        for group in _groups(messages, pairs):
            # A group goes whole or not at all, or a call would lose its result.
            may_go = all(i in texts or _is_work(messages[i], indices[i]) for i in group)
            changed = tuple(i for i in group if texts.get(i) != messages[i])
            if group[-1] < end and may_go and changed:
                groups.append(changed)
                new = [texts[i] for i in changed if i in texts]
                savings.append(estimate([messages[i] for i in changed]) - estimate(new))
        notice = cache(lambda run: activity_notice(messages[i] for i in run))
        return DropPlan(
            tuple(groups),
            tuple(accumulate(savings)),
            texts,
            notice,
            indices,
            needed_tokens,
        )

    def _newest_texts(
        self, messages: Sequence[Message], ai: Sequence[int]
    ) -> dict[int, Message]:
        """Return the newest texts of the model, without calls and thinking."""
        texts = [i for i in ai if plain_text(messages[i]).strip()]
        kept_texts = texts[max(0, len(texts) - self.keep_texts) :]
        return {index: _text_only(messages[index]) for index in kept_texts}

    def _drop_groups(
        self, draft: HistoryDraft, plan: DropPlan, count: int, target: int
    ) -> HistoryDraft:
        reason = f"Oldest first until under {target:,} tokens, calls with their results"
        step = FateStep(
            RULE, FateKind.DROPPED, f"{reason}; a notice says what the tools did."
        )
        edited_step = FateStep(
            RULE,
            FateKind.EDITED,
            f"{reason}; of the newest {self.keep_texts} texts the words stay.",
        )
        text_only = [
            index
            for group in plan.groups[:count]
            for index in group
            if index in plan.text_messages
        ]
        changed = with_edited(
            draft,
            {index: (plan.text_messages[index], edited_step) for index in text_only},
        )
        runs = plan.runs(count)
        gone = list(chain.from_iterable(runs))
        remaining = with_removed(changed, dict.fromkeys(gone, step))
        gone_set = set(gone)
        notices = {run[0]: plan.notice(run) for run in runs}
        entries: list[DraftEntry] = []
        for index, entry in enumerate(changed.entries):
            notice = notices.get(index)
            if notice is not None:
                entries.append(DraftEntry(notice, (), True))
            if index not in gone_set:
                entries.append(entry)
        return replace(remaining, entries=tuple(entries))

    def _kept_steps(
        self, draft: HistoryDraft, plan: DropPlan, target: int
    ) -> dict[int, FateStep]:
        typed = FateStep(RULE, FateKind.KEPT, "Typed by a person: it always stays.")
        text = FateStep(
            RULE,
            FateKind.KEPT,
            f"It is among the newest {self.keep_texts} texts of the model.",
        )
        reason = f"It is newer than what had to go for the target of {target:,} tokens."
        newer = FateStep(RULE, FateKind.KEPT, reason)
        kept_steps: dict[int, FateStep] = {}
        for index, entry in enumerate(draft.entries):
            flags = entry.message.flags
            is_typed = (
                entry.message.speaker is Speaker.HUMAN and not flags & _HARNESS_FLAGS
            )
            step = newer
            if is_typed:
                step = typed
            elif index in plan.text_messages:
                step = text
            kept_steps |= dict.fromkeys(entry.origins, step)
        return kept_steps


@dataclass(frozen=True, slots=True)
class DropPlan:
    """Groups of messages that may go (``groups``), oldest first; ``reductions`` says how many tokens
    go with the first, the first two, and so on. ``text_messages`` are the text-only replacements of
    messages whose text stays, ``notice`` makes the notice for a run, ``indices`` are those in the
    history, and ``needed_tokens`` must go."""

    groups: tuple[tuple[int, ...], ...]
    reductions: tuple[int, ...]
    text_messages: Mapping[int, Message]
    notice: Callable[[tuple[int, ...]], Message | None]
    indices: Sequence[int]
    needed_tokens: int

    def group_count(self, estimate: TokenCount) -> int:
        """Return how many of the oldest groups save ``need`` and their notices' tokens; at most
        all."""
        count = self._first_saving(self.needed_tokens)
        while True:
            notices = [
                notice
                for run in self.runs(count)
                if (notice := self.notice(run)) is not None
            ]
            new_count = self._first_saving(self.needed_tokens + estimate(notices))
            if new_count <= count:
                return count
            count = new_count

    def _first_saving(self, needed_tokens: int) -> int:
        return min(bisect_left(self.reductions, needed_tokens) + 1, len(self.groups))

    def runs(self, count: int) -> list[tuple[int, ...]]:
        """Return the messages removed with ``count`` groups, in runs without gaps."""
        removed = sorted(
            i
            for group in self.groups[:count]
            for i in group
            if i not in self.text_messages
        )
        runs: list[list[int]] = []
        for index in removed:
            if runs and self.indices[runs[-1][-1]] == self.indices[index] - 1:
                runs[-1].append(index)
            else:
                runs.append([index])
        return [tuple(run) for run in runs]

    def edits(self, count: int) -> dict[int, Message | None]:
        """Return the replacements of the messages of ``count`` groups; None for removed ones."""
        edits: dict[int, Message | None] = {}
        for index in (index for group in self.groups[:count] for index in group):
            edits[index] = self.text_messages.get(index)
        return edits | {run[0]: self.notice(run) for run in self.runs(count)}


def is_droppable(message: Message) -> bool:
    """Return whether the rule has to look at a message: it may go, or belongs to one that may."""
    if message.flags is not MessageFlag.NONE or message.speaker in (
        Speaker.AI,
        Speaker.TOOL,
    ):
        return True
    return any(isinstance(block, ToolCall | ToolResponse) for block in message.blocks)


def _is_work(message: Message, index: int) -> bool:
    """Return whether this is work of the model, a result or a harness row; a first human message is
    not."""
    flags = message.flags
    # To ask a flag takes longer than all else.
    if flags is not MessageFlag.NONE and flags & MessageFlag.RECORDED_SUMMARY:
        return False
    if message.speaker is Speaker.HUMAN:
        return index > 0 and bool(flags & _HARNESS_FLAGS)
    if flags is not MessageFlag.NONE and holds_history(message):
        return False
    return message.speaker in (Speaker.AI, Speaker.TOOL)


def _groups(messages: Sequence[Message], pairs: Pairs) -> Iterable[tuple[int, ...]]:
    """Yield messages that share pairs, directly or through others, ordered by their first ones."""
    seen = bytearray(len(messages))
    for start, message in enumerate(messages):
        if seen[start] or (
            message.speaker is Speaker.HUMAN and message.flags is MessageFlag.NONE
        ):
            continue
        seen[start] = 1
        group, index = [start], 0
        while index < len(group):
            for other in pairs.partners.get(group[index], ()):
                if not seen[other]:
                    seen[other] = 1
                    group.append(other)
            index += 1
        yield tuple(sorted(group))


def _text_only(message: Message) -> Message:
    """Return the message without calls and thinking; itself where it has none."""
    blocks = tuple(
        block for block in message.blocks if isinstance(block, Text | Code | Media)
    )
    if len(blocks) == len(message.blocks):
        return message
    return replace(message, blocks=blocks)


def activity_notice(messages: Iterable[Message]) -> Message | None:
    """Return the files, commands and other tools called in these messages; None without calls. A
    file is called changed only where the result of the call proves it."""
    lines = [
        _notice_line(title, names)
        for title, names in _activity(messages).items()
        if names
    ]
    if not lines:
        return None
    text = "\n".join(
        [
            "<SYSTEM_NOTICE>",
            "Work was left out here to make room.",
            *lines,
            "</SYSTEM_NOTICE>",
        ]
    )
    return human_text(text)


def _notice_line(title: str, names: Sequence[str]) -> str:
    line = f"{title}: {'; '.join(names[:_MAX_NAMES])}"
    if len(names) > _MAX_NAMES:
        line += f"; {len(names) - _MAX_NAMES:,} more"
    return line


def _activity(messages: Iterable[Message]) -> dict[str, list[str]]:
    """Return files, commands and other tools by the title of their line, each once."""
    # Dictionaries as ordered sets: the order of the session stays.
    read: dict[str, None] = {}
    changes: dict[Outcome, dict[str, None]] = {outcome: {} for outcome in Outcome}
    commands: dict[str, None] = {}
    other_tools: Counter[str] = Counter()
    listed = list(messages)
    responses = {
        one.call_id: one for message in listed for one in tool_responses(message)
    }
    for call in (call for message in listed for call in tool_calls(message)):
        files = [*file_operations(call)]
        response = responses.get(call.id)
        if response is None:
            outcome = Outcome.UNKNOWN
        else:
            outcome = tool_outcome(call, response).kind
        for verb, path in files:
            if verb is FileVerb.READ:
                touched = read
            else:
                touched = changes[outcome]
            touched[path] = None
        command = shell_command(call)
        if command:
            commands[shorten(command, _MAX_COMMAND)] = None
        elif not files:
            other_tools[call.name or "a tool without a name"] += 1
    return {
        "Files read": [*read],
        "Files changed": [*changes[Outcome.SUCCEEDED]],
        "Changes asked for, outcome not recorded": [*changes[Outcome.UNKNOWN]],
        "Changes that failed": [*changes[Outcome.FAILED]],
        "Commands called": [*commands],
        "Other tools": [f"{name} ({count:,})" for name, count in other_tools.items()],
    }
