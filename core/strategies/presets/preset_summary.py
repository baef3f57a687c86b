"""Requests a preset's summary by its rule and extracts the summary from the response."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.errors import CompactionFailed
from core.facts.sentences import DIGEST_TITLE
from core.llm.chat_messages import human_text
from core.llm.protocol import Summariser, SummaryRequest, SummaryResponse
from core.settings.keys import SUMMARY_TOKENS
from core.settings.prompts import fill_placeholders, required_sections
from core.strategies.base import StrategyContext
from core.strategies.helpers import ask_summariser, call_record
from core.strategies.presets.summary_input import (
    SummaryInput,
    fit_summary_input,
    only_newest_messages,
    with_shortened_results,
    without_media,
)
from core.strategies.presets.touched_files import file_lists
from core.summarize.summary_request import summary_budget
from core.transcript.compaction import ModelCall, Summary
from core.transcript.model import Message, Speaker

SUMMARY = "{summary}"  # placeholder in an inserted message for the summary
RECENT = "{recent}"  # placeholder in an inserted message for the rest of the history as text
_TRIGGER = "Write the summary now, in the form that the instructions ask for, and nothing else."
_HISTORY_UNCHANGED = "The history is as it was."
_DRAFT_TITLE = "\n\nThe draft:\n\n"
_TURN_TITLE = "\n\n---\n\n## Context of the current turn\n\n"
_CROWDED = 12  # below this, a budget has no room for all headings
_THINKING = re.compile(r"<(analysis|scratchpad)>.*?</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class InsertedMessage:
    """A message to insert; the ``text`` of one of them holds the summary."""

    speaker: Speaker
    text: str


@dataclass(frozen=True, slots=True)
class SummaryRule:
    """The table [summary] of a preset; 0 and empty: off.

    ``prompt`` is the name of the summary prompt, ``verify`` of the prompt of a second call that checks it,
    ``turn`` of that for the beginning of an exchange divided by the cut. ``insert`` are the messages that
    replace the summarised ones. ``inside`` is the tag whose content is the summary; ``headings`` requires at
    least one of the prompt's sections. ``most_output`` in tokens. Input messages: tool results are cut to
    ``result_chars``, media removed, only the newest ``last_tokens`` used, and results removed by the
    percentages of ``ladder`` until the request fits. ``file_lists`` adds the files read and changed by the
    calls.
    """

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
class WrittenSummary:
    """A summary as inserted, its calls, and its budget in tokens (``max_tokens``). ``unread`` says by
    position why a message was not sent to the model."""

    summary: Summary
    calls: tuple[ModelCall, ...]
    max_tokens: int
    unread: Mapping[int, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SummaryWriter:
    """The context shared by the calls of one run; messages at ``read_only`` are read, but not replaced."""

    context: StrategyContext
    preset: str
    rule: SummaryRule
    read_only: frozenset[int] = frozenset()

    def write(
        self, messages: Sequence[Message], positions: Sequence[int], turn: int | None
    ) -> WrittenSummary:
        """Summarise messages at ascending positions. ``turn`` is the start of an exchange that continues
        after them, None without one. Raises CompactionFailed where a call fails or its answer is unusable."""
        parts = self._inputs_by_prompt(tuple(messages), tuple(positions), turn)
        summaries = [self._summarise_input(name, part, single=len(parts) == 1) for name, part in parts]
        text = _TURN_TITLE.join(summary.summary.text for summary in summaries)
        if self.rule.file_lists:
            text += file_lists(messages)
        first = summaries[0]
        return WrittenSummary(
            replace(first.summary, text=text),
            tuple(call for summary in summaries for call in summary.calls),
            sum(summary.max_tokens for summary in summaries),
            {position: reason for summary in summaries for position, reason in summary.unread.items()},
            tuple(warning for summary in summaries for warning in summary.warnings),
        )

    def _inputs_by_prompt(
        self, messages: tuple[Message, ...], positions: tuple[int, ...], turn: int | None
    ) -> list[tuple[str, SummaryInput]]:
        """Return the input of each prompt: one, or two where an exchange is divided."""
        if not self.rule.turn or turn is None or turn not in positions:
            return [(self.rule.prompt, SummaryInput(messages, positions))]
        turn_index = positions.index(turn)
        turn_input = (self.rule.turn, SummaryInput(messages[turn_index:], positions[turn_index:]))
        return (
            [(self.rule.prompt, SummaryInput(messages[:turn_index], positions[:turn_index])), turn_input]
            if turn_index
            else [turn_input]
        )

    def _summarise_input(self, name: str, full: SummaryInput, *, single: bool) -> WrittenSummary:
        """Summarise one input with one prompt, checked by a second call if the rule says so."""
        context, rule = self.context, self.rule
        max_tokens = self._budget(full)
        prompt = self._prompt(name, max_tokens)
        prepared = self._prepare(full, prompt, max_tokens)
        is_main = single or name == rule.prompt
        request = SummaryRequest(
            prompt,
            prepared.messages,
            prepared.positions,
            _TRIGGER,
            max_tokens,
            context.todos if is_main else "",
            context.transcript if is_main else "",
            context.focus,
            max_output_tokens=rule.most_output or None,
            purpose="" if single and not rule.verify else _purpose(rule, name),
        )
        written = self._request(request)
        if rule.verify:
            written = self._verify(request, written)
        calls = (_with_steps(written.calls[0], prepared.steps), *written.calls[1:])
        warnings = (*self._unread_warnings(full, prepared), *written.warnings)
        return replace(written, calls=calls, unread=prepared.unread, warnings=warnings)

    def _verify(self, request: SummaryRequest, draft: WrittenSummary) -> WrittenSummary:
        """Return the summary after a second call checked it."""
        check = self._prompt(self.rule.verify, request.max_tokens) + _DRAFT_TITLE + draft.summary.text
        final = self._request(replace(request, trigger=check, purpose=f"check of the {request.purpose}"))
        calls, warnings = (*draft.calls, *final.calls), (*draft.warnings, *final.warnings)
        return replace(final, calls=calls, warnings=warnings)

    def _request(self, request: SummaryRequest) -> WrittenSummary:
        summariser, response = ask_summariser(self.context, self.preset, request)
        text = self._usable_text(summariser, response, request.prompt, request.max_tokens)
        summary = Summary(text, summariser.profile, summariser.model, response.sections)
        call = call_record(self.context, request, summariser, response, request.purpose)
        return WrittenSummary(summary, (call,), request.max_tokens, warnings=response.warnings)

    def _budget(self, full: SummaryInput) -> int:
        """Return the summary's budget in tokens, by the size of the messages that it replaces."""
        pairs = zip(full.positions, full.messages, strict=True)
        replaced = self.context.estimate_tokens(
            [message for position, message in pairs if position not in self.read_only]
        )
        budget = summary_budget(self.context.values.integer(SUMMARY_TOKENS), replaced)
        return min(budget, self.rule.most_output or budget)

    def _prompt(self, name: str, max_tokens: int) -> str:
        """Return the text of a prompt; the first may be an unsaved one without a name."""
        text = self.context.prompt if name == self.rule.prompt else self.context.prompts.get(name, "")
        return fill_placeholders(text, {"max_tokens": str(max_tokens), "focus": self.context.focus})

    def _prepare(self, full: SummaryInput, prompt: str, max_tokens: int) -> SummaryInput:
        """Return the messages in the form sent to the summariser."""
        rule, count = self.rule, self.context.estimate_tokens
        prepared = without_media(full) if rule.strip_media else full
        prepared = with_shortened_results(prepared, rule.result_chars) if rule.result_chars else prepared
        prepared = only_newest_messages(prepared, rule.last_tokens, count) if rule.last_tokens else prepared
        if not rule.ladder:
            return prepared
        limit = self.context.limit
        prompt_tokens = count((human_text(prompt), human_text(_TRIGGER)))
        fitted = fit_summary_input(
            prepared, rule.ladder, None if limit is None else limit - prompt_tokens - max_tokens, count
        )
        if fitted is None:
            raise CompactionFailed(
                f"{self.preset}: the summary request does not fit into {limit:,} tokens, even without "
                "the results of tools.",
                _HISTORY_UNCHANGED,
            )
        return fitted

    def _unread_warnings(self, full: SummaryInput, prepared: SummaryInput) -> list[str]:
        """Return warnings about messages that the model never saw."""
        unread = [
            full.messages[index]
            for index, position in enumerate(full.positions)
            if position in prepared.unread
        ]
        if not unread:
            return []
        tokens = self.context.estimate_tokens(unread)
        share = f"{len(unread)} of {len(full.messages)} messages ({tokens:,} tokens)"
        if prepared.steps:
            return [f"{self.preset} took results out of {share} before the model read them."]
        return [
            f"{self.preset} gave the model its newest {self.rule.last_tokens:,} tokens only; dropped unread: "
            f"{share}."
        ]

    def _usable_text(
        self, summariser: Summariser, response: SummaryResponse, prompt: str, max_tokens: int
    ) -> str:
        """Return the summary in a response; raises CompactionFailed where there is none."""
        if response.unwritten:
            return response.text
        text = _tag_content(response.text, self.rule.inside)
        label = f"{self.preset}: the summary of {summariser.profile} ({summariser.model})"
        if not text:
            raise CompactionFailed(f"{label} holds nothing but its draft.", _HISTORY_UNCHANGED)
        if self.rule.headings and not self._is_headed(response.text, prompt, max_tokens):
            raise CompactionFailed(
                f"{label} has none of the headings that were asked for.", _HISTORY_UNCHANGED
            )
        return text

    def _is_headed(self, text: str, prompt: str, max_tokens: int) -> bool:
        """Return whether the text has one of the sections, or the budget is too small for headings."""
        sections = required_sections(prompt)
        is_crowded = self.context.estimate_tokens((human_text("\n".join(sections)),)) * _CROWDED > max_tokens
        is_digest = text.startswith(DIGEST_TITLE)
        return (
            is_digest
            or is_crowded
            or not sections
            or any(_has_heading(text, section) for section in sections)
        )


def _tag_content(text: str, tag: str) -> str:
    """Return the text in a tag, or all of it without the tag; reasoning and title are removed."""
    without_thinking = _THINKING.sub("", text) if tag else text
    found = re.search(rf"<{tag}>(.*?)(?:</{tag}>|\Z)", without_thinking, re.DOTALL) if tag else None
    return (found[1] if found else without_thinking).strip().removeprefix(DIGEST_TITLE).strip()


def _has_heading(text: str, section: str) -> bool:
    """Return whether a line is a section's heading, whatever marks surround it."""
    return any(line.strip(" #*:0123456789.").lower() == section.lower() for line in text.splitlines())


def _purpose(rule: SummaryRule, name: str) -> str:
    return "beginning of the exchange" if name == rule.turn else "summary"


def _with_steps(call: ModelCall, steps: Sequence[str]) -> ModelCall:
    """Return the call's record with the steps that shortened its request."""
    return replace(call, steps=(*steps, *call.steps), reductions=(*steps, *call.reductions))
