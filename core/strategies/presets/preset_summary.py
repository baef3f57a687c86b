"""Requests a preset's summary by its rule and extracts the summary from the response."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TypeAlias

from core.common.errors import UNCHANGED, CompactionFailed
from core.facts.file_accesses import FileAccess, file_accesses, may_change_shell_folder
from core.facts.sentences import DIGEST_TITLE, is_summary, plain_text
from core.facts.tool_outcome import Outcome, tool_outcome
from core.llm.protocol import SummaryRequest, human_text
from core.settings.prompts import fill_placeholders, required_sections
from core.settings.schema import SUMMARY_TOKENS
from core.strategies.base import StrategyContext
from core.strategies.helpers import ask_summariser, call_record
from core.strategies.presets.split import is_typed
from core.summarize.summary_request import CLOSING_REQUEST, summary_budget
from core.transcript.compaction import FateKind, FateStep, ModelCall, Summary
from core.transcript.model import (
    Block,
    Media,
    Message,
    MessageFlag,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    is_text_only,
    tool_calls,
    tool_responses,
)
from core.transcript.tool_kinds import FileOperation
from core.transcript.tool_pairs import TokenCount, is_failed_result, result_text

# Messages that a preset reinjects beside a summary: the user's messages, files in use, open
# tasks.


_CONTENTS = ("content", "file_text")  # arguments of tools that write a whole file
_LISTED = re.compile(r"<(read-files|modified-files)>\n(.*?)\n</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """A file, whether a call changed it, and its content as last seen whole."""

    path: str
    changed: bool = False
    content: str | None = None
    stale: bool = False
    was_read: bool = False


def touched_files(messages: Sequence[Message]) -> tuple[TouchedFile, ...]:
    """Return the files touched by successful calls, the one touched last at the end."""
    files: dict[str, TouchedFile] = {}
    for access, content, is_proven in _accesses(messages):
        # Put in again, a file stands where it was touched last.
        old = files.pop(access.path, TouchedFile(access.path))
        is_read = access.operation is FileOperation.READ
        changed = old.changed or (not is_read and is_proven)
        was_read = old.was_read or is_read
        if content is not None:
            files[access.path] = TouchedFile(
                access.path, changed, content, was_read=was_read
            )
        else:
            stale = old.stale or not is_read
            files[access.path] = replace(
                old, changed=changed, stale=stale, was_read=was_read
            )
    return tuple(files.values())


def file_lists(messages: Sequence[Message]) -> str:
    """Return tagged lists of the files read and changed, including those of earlier summaries."""
    read: set[str] = set()
    modified: set[str] = set()
    for message in messages:
        if is_summary(message):
            for tag, lines in _LISTED.findall(plain_text(message)):
                (read if tag == "read-files" else modified).update(
                    filter(None, lines.splitlines())
                )
    for file in touched_files(messages):
        if file.changed or file.was_read:
            (modified if file.changed else read).add(file.path)
    lists = (("read-files", read - modified), ("modified-files", modified))
    return "".join(
        f"\n\n<{tag}>\n" + "\n".join(sorted(paths)) + f"\n</{tag}>"
        for tag, paths in lists
        if paths
    )


def _with_contents(
    call: ToolCall, response: ToolResponse, files: Sequence[FileAccess]
) -> Iterator[tuple[FileAccess, str | None, bool]]:
    is_proven = tool_outcome(call, response).kind is Outcome.SUCCEEDED
    for item in files:
        is_known = is_proven or item.operation is FileOperation.READ
        is_whole = is_known and len(files) == 1
        content = _content(call, response, item) if is_whole else None
        yield item, content, is_proven


def _accesses(
    messages: Sequence[Message],
) -> Iterator[tuple[FileAccess, str | None, bool]]:
    """Yield the file accesses of calls that did not fail, with the whole content they wrote or
    returned, and whether the result proves that they succeeded."""
    responses = {
        item.call_id: item for message in messages for item in tool_responses(message)
    }
    shell_moved = False
    for message in messages:
        for call in tool_calls(message):
            response = responses.get(call.id)
            # A write that failed has left the file as it was.
            if response is not None and not is_failed_result(response):
                files = file_accesses(call, "", shell_moved=shell_moved)
                yield from _with_contents(call, response, files)
            shell_moved = shell_moved or may_change_shell_folder(call)


def _content(call: ToolCall, answer: ToolResponse, access: FileAccess) -> str | None:
    """Return the whole content that a read returned or a write wrote; None for parts."""
    if access.operation is FileOperation.READ:
        if access.lines is None:
            return result_text(answer.result) or None
        return None
    # An edit shows a part of a file and never the whole.
    if access.operation is FileOperation.EDIT or not isinstance(call.arguments, dict):
        return None
    return next(
        (
            call.arguments[key]
            for key in _CONTENTS
            if isinstance(call.arguments.get(key), str)
        ),
        None,
    )


# The rule's name in fates: messages of the user stay beside the summary.
KEPT_USER_TEXT_RULE = "words of the person"
_CUT_TOKENS = "\n[… {count:,} tokens left out …]\n"
_WHOLE = "For reference, {path} as it was last seen before the summary:\n\n{content}"
_STALE = "For reference, {path} as it was last seen whole; it was changed after that:\n\n{content}"
_PATH = "{path} was in use before the summary. Read it again when it is needed."
_TODOS = "Tasks that were open before the summary:\n\n{todos}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReinjectRule:
    """The table [reinject] of a preset; 0 and false: off. ``files``: the files touched last, each
    whole within ``file_tokens``, all within ``total_tokens``, otherwise by path. ``human_tokens``:
    tokens of the user's newest messages kept before the summary; ``initial``: also the messages
    before the first of them. ``newest_human``: the user's newest text-only message stays after the
    summary. ``todos``: the open tasks."""

    files: int = 0
    file_tokens: int = 0
    total_tokens: int = 0
    human_tokens: int = 0
    initial: bool = False
    newest_human: bool = False
    todos: bool = False


RetainedMessage: TypeAlias = tuple[Message, FateStep]
"""A retained message and the reason: kind KEPT, or EDITED where it was shortened."""


def retained_messages(
    rule: ReinjectRule,
    messages: Mapping[int, Message],
    count: TokenCount,
    source_of: Callable[[int], int],
) -> Mapping[int, RetainedMessage]:
    """Return which of the summarised messages, by ascending index, stay beside the summary."""
    typed = [index for index, message in messages.items() if is_typed(message)]
    if rule.newest_human:
        text_only = [at for at in typed if is_text_only(messages[at])]
        step = _kept_step("The newest message of the person that is text.")
        return {index: (messages[index], step) for index in text_only[-1:]}
    retained: dict[int, RetainedMessage] = {}
    if rule.human_tokens:
        retained = dict(_newest_typed(rule.human_tokens, typed, messages, count))
    if rule.initial and typed:
        step = _kept_step(
            f"Part of the first context, before #{source_of(typed[0]) + 1}."
        )
        retained |= _spoken_before(typed[0], messages, step)
    return dict(sorted(retained.items()))


def _spoken_before(
    first: int, messages: Mapping[int, Message], step: FateStep
) -> dict[int, RetainedMessage]:
    return {
        index: (message, step)
        for index, message in messages.items()
        if index < first and _is_spoken(message)
    }


def _is_spoken(message: Message) -> bool:
    """Return True for what a person or the system says; results may have their speaker."""
    if message.speaker not in (Speaker.HUMAN, Speaker.SYSTEM):
        return False
    return not any(tool_responses(message))


def reinjected_messages(
    rule: ReinjectRule, messages: Sequence[Message], todos: str, count: TokenCount
) -> Iterator[Message]:
    """Yield the messages inserted after the summary, from the messages that it represents."""
    tokens_left = rule.total_tokens
    for file in reversed(touched_files(messages)[-rule.files :] if rule.files else ()):
        template = _STALE if file.stale else _WHOLE
        content_message = _note(template.format(path=file.path, content=file.content))
        cost = count((content_message,))
        if file.content is None or cost > min(rule.file_tokens, tokens_left):
            # A file without room is named, so that the agent can read it again.
            content_message = _note(_PATH.format(path=file.path))
            cost = 0
        tokens_left -= cost
        yield content_message
    if rule.todos and todos:
        yield _note(_TODOS.format(todos=todos))


def _newest_typed(
    tokens: int,
    typed_indices: Sequence[int],
    messages: Mapping[int, Message],
    count: TokenCount,
) -> Iterator[tuple[int, RetainedMessage]]:
    """Yield whole messages from the newest on, and the first that does not fit shortened."""
    tokens_left = tokens
    step = _kept_step(
        f"It is among the newest {tokens:,} tokens of what the person wrote."
    )
    for index in reversed(typed_indices):
        cost = count((messages[index],))
        if cost > tokens_left:
            shortened = _shortened(messages[index], tokens_left, count)
            if shortened is not None:
                cut = f"Shortened from {cost:,} tokens: the newest {tokens:,} end in this message."
                yield (
                    index,
                    (shortened, FateStep(KEPT_USER_TEXT_RULE, FateKind.EDITED, cut)),
                )
            return
        tokens_left -= cost
        yield index, (messages[index], step)


def _kept_step(reason: str) -> FateStep:
    return FateStep(KEPT_USER_TEXT_RULE, FateKind.KEPT, reason)


def _shortened(message: Message, tokens: int, count: TokenCount) -> Message | None:
    """Return the beginning and the end of a text within some tokens; None where nothing fits."""
    text = plain_text(message)
    total = count((message,))

    def cut(length: int) -> Message:
        if length:
            tail = text[len(text) - length :]
        else:
            tail = ""
        marker = _CUT_TOKENS.format(
            count=total
            - count((replace(message, blocks=(Text(text[:length] + tail),)),))
        )
        return replace(message, blocks=(Text(text[:length] + marker + tail),))

    low = 0
    high = len(text) // 2
    while low < high:
        middle = (low + high + 1) // 2
        # How many tokens a length has is not known before it is counted: a search by halves.
        low, high = (
            (middle, high) if count((cut(middle),)) <= tokens else (low, middle - 1)
        )
    if low:
        return cut(low)
    return None


def _note(text: str) -> Message:
    return Message(speaker=Speaker.HUMAN, blocks=(Text(text),), flags=MessageFlag.META)


SUMMARY = "{summary}"  # placeholder in an inserted message for the summary
RECENT = (
    "{recent}"  # placeholder in an inserted message for the rest of the history as text
)
_DRAFT_TITLE = "\n\nThe draft:\n\n"
_TURN_TITLE = "\n\n---\n\n## Context of the current turn\n\n"
_CROWDED = 12  # below this, a budget has no room for all headings
_CUT_CHARACTERS = "\n[… {count:,} characters left out]"
REMOVED = (
    "[result left out, so that the request fits]"  # replaces a tool result in a request
)
_THINKING = re.compile(r"<(analysis|scratchpad)>.*?</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class InsertedMessage:
    """A message to insert; the ``text`` of one of them holds the summary."""

    speaker: Speaker
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRule:
    """The table [summary] of a preset; 0 and empty: off. ``prompt`` is the name of the summary
    prompt, ``verify`` of the prompt of a second call that checks it, ``turn`` of that for the
    beginning of an exchange divided by the cut. ``insert`` are the messages that replace the
    summarised ones. ``inside`` is the tag whose content is the summary; ``headings`` requires at
    least one of the prompt's sections. ``most_output`` in tokens. Input messages: tool results are
    cut to ``result_chars``, media removed, only the newest ``last_tokens`` used, and results
    removed by the percentages of ``ladder`` until the request fits. ``file_lists`` adds the files
    read and changed by the calls."""

    prompt: str
    insert: tuple[InsertedMessage, ...]
    verify: str = ""
    turn: str = ""
    inside: str = ""
    headings: bool = False
    most_output: int = 0
    result_chars: int = 0
    strip_media: bool = False
    last_tokens: int = 0
    ladder: tuple[int, ...] = ()
    file_lists: bool = False

    @property
    def prompts(self) -> tuple[str, ...]:
        """The names of its prompts, the summary prompt first."""
        return tuple(filter(None, (self.prompt, self.verify, self.turn)))


@dataclass(frozen=True, slots=True)
class PresetSummary:
    """A summary as inserted, its calls, and its budget in tokens (``max_tokens``)."""

    summary: Summary
    calls: tuple[ModelCall, ...]
    max_tokens: int
    unread: Mapping[int, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    is_unwritten: bool = False


@dataclass(frozen=True, slots=True)
class SummaryInput:
    """The messages of a request with their ascending indices."""

    messages: tuple[Message, ...]
    indices: tuple[int, ...]
    unread: Mapping[int, str] = field(default_factory=dict)
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PresetSummariser:
    """The context shared by the calls of one run; messages at ``read_only`` are read, but not
    replaced."""

    context: StrategyContext
    preset: str
    rule: SummaryRule
    read_only: frozenset[int] = frozenset()

    def write(
        self, messages: Sequence[Message], indices: Sequence[int], turn: int | None
    ) -> PresetSummary:
        """Summarise messages at ascending indices. ``turn`` is the start of an exchange that
        continues after them, None without one: with a prompt of its own its beginning is summarised
        apart. Raises CompactionFailed where a call fails or its answer is unusable."""
        parts = self._parts(SummaryInput(tuple(messages), tuple(indices)), turn)
        is_single = len(parts) == 1
        summaries = [
            self._summarise_input(name, part, single=is_single) for name, part in parts
        ]
        text = _TURN_TITLE.join(summary.summary.text for summary in summaries)
        if self.rule.file_lists:
            text += file_lists(messages)
        calls = chain.from_iterable(summary.calls for summary in summaries)
        warnings = chain.from_iterable(summary.warnings for summary in summaries)
        unread: dict[int, str] = {}
        for summary in summaries:
            unread |= summary.unread
        return PresetSummary(
            replace(summaries[0].summary, text=text),
            tuple(calls),
            sum(summary.max_tokens for summary in summaries),
            unread,
            tuple(warnings),
        )

    def _parts(
        self, whole: SummaryInput, turn: int | None
    ) -> list[tuple[str, SummaryInput]]:
        """Return what is summarised, each part with the name of its prompt."""
        if not self.rule.turn or turn is None or turn not in whole.indices:
            return [(self.rule.prompt, whole)]
        cut = whole.indices.index(turn)
        beginning = SummaryInput(whole.messages[cut:], whole.indices[cut:])
        # With nothing in front of the exchange there is nothing else to summarise.
        if cut == 0:
            return [(self.rule.turn, beginning)]
        before = SummaryInput(whole.messages[:cut], whole.indices[:cut])
        return [(self.rule.prompt, before), (self.rule.turn, beginning)]

    def _replaced(self, full: SummaryInput) -> list[Message]:
        """Return the messages that the summary stands for; others are only read."""
        pairs = zip(full.indices, full.messages, strict=True)
        return [message for index, message in pairs if index not in self.read_only]

    def _summarise_input(
        self, name: str, full: SummaryInput, *, single: bool
    ) -> PresetSummary:
        """Summarise one input with one prompt, checked by a second call if the rule says so."""
        context, rule = self.context, self.rule
        replaced = self._replaced(full)
        budget = summary_budget(
            context.values.integer(SUMMARY_TOKENS), context.estimate_tokens(replaced)
        )
        max_tokens = min(budget, rule.most_output or budget)
        prompt = self._prompt(name, max_tokens)
        prepared = self._prepare(full, prompt, max_tokens)
        is_main = single or name == rule.prompt
        part = "beginning of the exchange" if name == rule.turn else "summary"
        request = SummaryRequest(
            prompt=prompt,
            messages=prepared.messages,
            indices=prepared.indices,
            trigger=CLOSING_REQUEST,
            max_tokens=max_tokens,
            todos=context.todos if is_main else "",
            transcript=context.transcript if is_main else "",
            focus=context.focus,
            max_output_tokens=rule.most_output or None,
            purpose="" if single and not rule.verify else part,
            prompt_name=name,
        )
        written = self._request(request)
        if rule.verify:
            check = (
                self._prompt(rule.verify, max_tokens)
                + _DRAFT_TITLE
                + written.summary.text
            )
            final = self._request(
                replace(
                    request,
                    trigger=check,
                    purpose=f"check of the {request.purpose}",
                    prompt_name=rule.verify,
                    awaited_tokens=max_tokens if written.is_unwritten else 0,
                )
            )
            calls = (*written.calls, *final.calls)
            warnings = (*written.warnings, *final.warnings)
            written = replace(final, calls=calls, warnings=warnings)
        first, steps = written.calls[0], prepared.steps
        first = replace(
            first, steps=(*steps, *first.steps), reductions=(*steps, *first.reductions)
        )
        return replace(
            written,
            calls=(first, *written.calls[1:]),
            unread=prepared.unread,
            warnings=(*self._unread_warnings(full, prepared), *written.warnings),
        )

    def _request(self, request: SummaryRequest) -> PresetSummary:
        """Return the summary in the response; raises CompactionFailed where there is none."""
        summariser, response = ask_summariser(self.context, self.preset, request)
        text = response.text
        if not response.unwritten:
            text = _tag_content(response.text, self.rule.inside)
            label = f"{self.preset}: the summary of {summariser.profile} ({summariser.model})"
            if text:
                fault = ""
            else:
                fault = "holds nothing but its draft"
            if (
                text
                and self.rule.headings
                and not self._is_headed(response.text, request)
            ):
                fault = "has none of the headings that were asked for"
            if fault:
                raise CompactionFailed(f"{label} {fault}.", UNCHANGED)
        summary = Summary(text, summariser.profile, summariser.model, response.sections)
        call = call_record(self.context, request, summariser, response, request.purpose)
        return PresetSummary(
            summary,
            (call,),
            request.max_tokens,
            warnings=response.warnings,
            is_unwritten=response.unwritten,
        )

    def _prompt(self, name: str, max_tokens: int) -> str:
        """Return the text of a prompt; the first may be an unsaved one without a name."""
        if name == self.rule.prompt:
            text = self.context.prompt
        else:
            text = self.context.prompts.get(name, "")
        return fill_placeholders(
            text, {"max_tokens": str(max_tokens), "focus": self.context.focus}
        )

    def _prepare(
        self, full: SummaryInput, prompt: str, max_tokens: int
    ) -> SummaryInput:
        """Return the messages in the form sent to the summariser."""
        rule, count, limit = self.rule, self.context.estimate_tokens, self.context.limit
        messages = full.messages
        if rule.strip_media:
            messages = _with_blocks(messages, _without_media)
        if rule.result_chars:
            messages = _with_blocks(
                messages, lambda block: _shortened_result(block, rule.result_chars)
            )
        prepared = replace(full, messages=messages)
        if rule.last_tokens:
            prepared = only_newest_messages(prepared, rule.last_tokens, count)
        if not rule.ladder:
            return prepared
        prompt_tokens = count((human_text(prompt), human_text(CLOSING_REQUEST)))
        if limit is None:
            room = None
        else:
            room = limit - prompt_tokens - max_tokens
        fitted = fit_summary_input(prepared, rule.ladder, room, count)
        if fitted is None:
            raise CompactionFailed(
                f"{self.preset}: the summary request does not fit into {limit:,} tokens, even without "
                "the results of tools.",
                UNCHANGED,
            )
        return fitted

    def _unread_warnings(self, full: SummaryInput, prepared: SummaryInput) -> list[str]:
        """Return warnings about messages that the model never saw."""
        pairs = zip(full.indices, full.messages, strict=True)
        unread = [message for index, message in pairs if index in prepared.unread]
        if not unread:
            return []
        tokens = self.context.estimate_tokens(unread)
        share = f"{len(unread)} of {len(full.messages)} messages ({tokens:,} tokens)"
        if prepared.steps:
            return [
                f"{self.preset} took results out of {share} before the model read them."
            ]
        newest = f"its newest {self.rule.last_tokens:,} tokens only"
        return [f"{self.preset} gave the model {newest}; dropped unread: {share}."]

    def _is_headed(self, text: str, request: SummaryRequest) -> bool:
        """Return whether the text has one of the sections, or the budget is too small for
        headings."""
        sections = required_sections(request.prompt)
        headings = self.context.estimate_tokens((human_text("\n".join(sections)),))
        if (
            not sections
            or headings * _CROWDED > request.max_tokens
            or text.startswith(DIGEST_TITLE)
        ):
            return True
        lines = {line.strip(" #*:0123456789.").lower() for line in text.splitlines()}
        return not lines.isdisjoint(section.lower() for section in sections)


def _tag_content(text: str, tag: str) -> str:
    """Return the text in a tag, or all of it without the tag; reasoning and title are removed."""
    if tag:
        without_thinking = _THINKING.sub("", text)
        found = re.search(rf"<{tag}>(.*?)(?:</{tag}>|\Z)", without_thinking, re.DOTALL)
    else:
        without_thinking = text
        found = None
    return (
        (found[1] if found else without_thinking)
        .strip()
        .removeprefix(DIGEST_TITLE)
        .strip()
    )


def _with_blocks(
    messages: Sequence[Message], change: Callable[[Block], Block]
) -> tuple[Message, ...]:
    return tuple(
        replace(message, blocks=tuple(map(change, message.blocks)))
        for message in messages
    )


def _without_media(block: Block) -> Block:
    if isinstance(block, Media):
        return Text(f"[{block.mime or 'media'} left out]")
    return block


def _shortened_result(block: Block, max_chars: int) -> Block:
    if isinstance(block, ToolResponse):
        text = result_text(block.result)
    else:
        text = ""
    if not isinstance(block, ToolResponse) or len(text) <= max_chars:
        return block
    return replace(
        block,
        result=text[:max_chars] + _CUT_CHARACTERS.format(count=len(text) - max_chars),
    )


def _without_result(block: Block) -> Block:
    if isinstance(block, ToolResponse):
        return replace(block, result=REMOVED)
    return block


def only_newest_messages(
    summary_input: SummaryInput, tokens: int, count: TokenCount
) -> SummaryInput:
    """Keep the newest messages within ``tokens``, at least one; the others are not read."""
    messages, indices = summary_input.messages, summary_input.indices
    start = len(messages)
    tokens_left = tokens
    while start > 0:
        tokens_left -= count((messages[start - 1],))
        if tokens_left < 0 and start < len(messages):
            break
        start -= 1
    reason = f"Never read: the model was given the newest {tokens:,} tokens only."
    unread = {**summary_input.unread, **dict.fromkeys(indices[:start], reason)}
    return replace(
        summary_input, messages=messages[start:], indices=indices[start:], unread=unread
    )


def fit_summary_input(
    summary_input: SummaryInput,
    ladder: Sequence[int],
    max_tokens: int | None,
    count: TokenCount,
) -> SummaryInput | None:
    """Remove tool results from the middle outwards, by the first percentage that fits; their calls
    stay answered. ``ladder`` are percentages of the messages with results, ``max_tokens`` is in
    tokens, None where no limit is known; then the first percentage applies. Returns None where even
    the last does not fit."""
    messages, indices = summary_input.messages, summary_input.indices
    with_results = [
        index for index, message in enumerate(messages) if any(tool_responses(message))
    ]
    middle = (len(with_results) - 1) / 2
    middle_out = sorted(range(len(with_results)), key=lambda index: abs(index - middle))
    for percent in ladder:
        removed = {
            with_results[index]
            for index in middle_out[: -(-len(with_results) * percent // 100)]
        }
        shortened = list(messages)
        for index in removed:
            [shortened[index]] = _with_blocks(
                messages[index : index + 1], _without_result
            )
        if max_tokens is None or count(shortened) <= max_tokens:
            break
    else:
        return None
    if not removed:
        return summary_input
    results = f"{percent} % of the results of tools ({len(removed)})"
    step = f"Took {results} out of the middle, so that the rest fits."
    reason = f"Its results were never read: {percent} % of all were taken out, from the middle on."
    unread = {**summary_input.unread, **{indices[index]: reason for index in removed}}
    return replace(
        summary_input, messages=tuple(shortened), unread=unread, steps=(step,)
    )
