"""Clear old results of tools: what stays is a placeholder, or a placeholder with both ends of the text.

One rule for the agents that mask tool output (field.md section 1b, family 1); they differ in what they
protect, from which gain on they act, and in the placeholder.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.compaction import FateKind, Step
from core.conversation import Flag, Message, Speaker
from core.strategies.base import Context
from core.strategies.draft import Draft, edited
from core.strategies.preset.results import (
    Result,
    ToolClass,
    is_named,
    results_of,
    text_of,
    tool_class,
    with_text,
    without_input,
)
from core.strategies.preset.split import is_typed
from core.strategies.preset.strategy import Passed

RULE = "old results"
INPUTS = "old inputs"


@dataclass(frozen=True, slots=True)
class ClearResults:
    """Replaces the results of tools beyond the protected ones by ``placeholder``.

    ``keep`` newest results and ``keep_tokens`` newest tokens of results stay (the result that crosses
    the latter does not); so do those in the newest ``keep_turns`` turns of the person, and with
    ``keep_last_turn`` those after the last word of the model. Only results of ``classes`` and ``tools``
    count, where either is given, and none of ``except_tools``. Nothing happens below ``minimum`` tokens
    of results that would go. ``stop_at_summary``: nothing before the newest recorded summary is touched.
    In the placeholder ``{preview}`` stands for the first ``head`` and the last ``tail`` characters,
    ``{lines}`` for the count of lines, ``{number}`` for that of the message. ``clear_inputs``: the
    arguments of the calls go as well.
    """

    placeholder: str
    keep: int = 0
    keep_tokens: int = 0
    keep_turns: int = 0
    keep_last_turn: bool = False
    minimum: int = 0
    classes: tuple[ToolClass, ...] = ()
    tools: tuple[str, ...] = ()
    except_tools: tuple[str, ...] = ()
    stop_at_summary: bool = False
    head: int = 0
    tail: int = 0
    clear_inputs: bool = False

    def apply(self, context: Context, draft: Draft) -> Passed:
        """The draft with old results cleared; every call keeps its answer."""
        messages = draft.messages
        found = results_of(context, messages)
        stays, old = self._sorted(messages, found)
        gain = sum(one.tokens for one in old)
        if old and gain < self.minimum:
            note = f"{gain:,} tokens of results are old; it acts from {self.minimum:,} on."
            return Passed(draft, _kept(draft, {**stays, **dict.fromkeys(old, note)}), note)
        texts = {one: self._text(context, draft, one) for one in old}
        shorter = {one: text for one, text in texts.items() if _is_shorter(context, messages, one, text)}
        stays |= {one: "The placeholder would not be shorter." for one in old if one not in shorter}
        if not shorter:
            return Passed(draft, _kept(draft, stays), _nothing(list(stays.values())))
        return Passed(edited(draft, self._changes(messages, shorter)), _kept(draft, stays))

    def _sorted(
        self, messages: Sequence[Message], found: Sequence[Result]
    ) -> tuple[dict[Result, str], list[Result]]:
        """Why results stay, and those that are old, oldest first."""
        stays: dict[Result, str] = {}
        old: list[Result] = []
        limits = self._limits(messages)
        cleared = {tool: self._is_cleared(tool) for tool in {one.tool for one in found}}
        count = tokens = 0
        for one in reversed(found):
            why = self._exempt(messages, one, limits, cleared[one.tool])
            if not why:
                count, tokens = count + 1, tokens + one.tokens
                why = self._protected(count, tokens)
            if why:
                stays[one] = why
            else:
                old.append(one)
        return stays, old[::-1]

    def _limits(self, messages: Sequence[Message]) -> tuple[int, int]:
        """Results lie between these: behind the newest summary, before the turns that are left alone."""
        start, end = 0, len(messages)
        if self.keep_last_turn:
            end = next((i + 1 for i in range(end - 1, -1, -1) if messages[i].speaker is Speaker.AI), 0)
        if self.keep_turns:
            typed = [index for index, message in enumerate(messages) if is_typed(message)]
            end = min(end, typed[-self.keep_turns] if len(typed) >= self.keep_turns else 0)
        if self.stop_at_summary:
            summaries = (i for i, message in enumerate(messages) if message.flags & Flag.RECORDED_SUMMARY)
            start = max(summaries, default=0)
        return start, end

    def _exempt(
        self, messages: Sequence[Message], one: Result, limits: tuple[int, int], cleared: bool
    ) -> str:
        """Why the rule does not look at a result, empty where it does."""
        if one.message >= limits[1]:
            return f"In the newest {self.keep_turns} turns." if self.keep_turns else "In the last turn."
        if one.message < limits[0]:
            return "Before the summary of an earlier compaction."
        if not cleared:
            return f"Results of {one.tool or 'a tool without a name'} are never cleared."
        done = text_of(messages[one.message], one.block).startswith(self.placeholder.partition("{")[0])
        return "Cleared before." if done else ""

    def _is_cleared(self, tool: str) -> bool:
        if is_named(tool, self.except_tools):
            return False
        if not self.classes and not self.tools:
            return True
        return tool_class(tool) in self.classes or is_named(tool, self.tools)

    def _protected(self, count: int, tokens: int) -> str:
        """Why the result with that many newest ones, it included, stays; empty where it is old."""
        if count <= self.keep:
            return f"Among the {self.keep} newest results."
        if tokens <= self.keep_tokens:
            return f"Protected: the newest {self.keep_tokens:,} tokens of tool output."
        return ""

    def _text(self, context: Context, draft: Draft, one: Result) -> str:
        """What stands in place of a result."""
        entry = draft.entries[one.message]
        text = text_of(entry.message, one.block)
        number = context.source_of(entry.origins[0]) + 1 if entry.origins else 0
        made = self.placeholder.replace("{lines}", f"{len(text.splitlines()):,}")
        return made.replace("{number}", f"{number}").replace("{preview}", self._preview(text))

    def _preview(self, text: str) -> str:
        left = len(text) - self.head - self.tail
        if left <= 0:
            return text
        return f"{text[: self.head]}\n[… {left:,} characters left out …]\n{text[self.head + left :]}"

    def _changes(
        self, messages: Sequence[Message], texts: Mapping[Result, str]
    ) -> dict[int, tuple[Message, Step]]:
        """The messages with placeholders, and without the arguments of the calls where those go too."""
        new: dict[int, Message] = {}
        tools: dict[int, list[str]] = defaultdict(list)
        inputs: set[int] = set()
        for one, text in texts.items():
            new[one.message] = with_text(new.get(one.message, messages[one.message]), one.block, text)
            tools[one.message].append(one.tool)
            if self.clear_inputs and one.call:
                call, block = one.call
                new[call] = without_input(new.get(call, messages[call]), block)
                inputs.add(call)
        gone = Step(INPUTS, FateKind.EDITED, "The arguments of its calls went with their results.")
        steps = {index: self._step(names) for index, names in tools.items()}
        return {index: (message, steps.get(index, gone)) for index, message in new.items()}

    def _step(self, tools: Sequence[str]) -> Step:
        beyond = [f"the {self.keep} newest results"] if self.keep else []
        beyond += [f"the newest {self.keep_tokens:,} tokens of tool output"] if self.keep_tokens else []
        where = f"Beyond {' and '.join(beyond)}" if beyond else "Old"
        what = f"{len(tools)} results became placeholders"
        if len(tools) == 1:
            what = f"the result of {tools[0]} became a placeholder" if tools[0] else "it became a placeholder"
        return Step(RULE, FateKind.EDITED, f"{where}: {what}.")


def _is_shorter(context: Context, messages: Sequence[Message], one: Result, text: str) -> bool:
    message = messages[one.message]
    new = with_text(message, one.block, text)
    return context.estimate_tokens((new,)) < context.estimate_tokens((message,))


def _kept(draft: Draft, stays: Mapping[Result, str]) -> dict[int, Step]:
    """Why messages with results stay as they are, by source place."""
    steps = {reason: Step(RULE, FateKind.KEPT, reason) for reason in stays.values()}
    return {
        origin: steps[reason]
        for one, reason in stays.items()
        for origin in draft.entries[one.message].origins
    }


def _nothing(reasons: Sequence[str]) -> str:
    """Why nothing was cleared, from why each result stays."""
    if not reasons:
        return "No message holds the result of a tool."
    [(reason, _)] = Counter(reasons).most_common(1)
    many = f"None of the {len(reasons):,} results goes" if len(reasons) > 1 else "The one result stays"
    return f"{many}: {reason[0].lower()}{reason[1:]}"
