"""What a preset asks of the summariser: the request from its data, and what is made of the answer."""

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
    newest_messages,
    short_results,
    without_media,
)
from core.strategies.presets.touched_files import file_lists
from core.summarize.summary_request import summary_budget
from core.transcript.compaction import ModelCall, Summary
from core.transcript.model import Message, Speaker

SUMMARY = "{summary}"
"""Stands in a frame for the summary."""

RECENT = "{recent}"
"""Stands in a frame for what is left of the history, as text."""

_TRIGGER = "Write the summary now, in the form that the instructions ask for, and nothing else."
_UNCHANGED = "The history is as it was."
_DRAFT = "\n\nThe draft:\n\n"
_TURN = "\n\n---\n\n## Context of the current turn\n\n"
_CROWDED = 12  # a budget below so many times the headings has no room for all of them
_THINKING = re.compile(r"<(analysis|scratchpad)>.*?</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class InsertedMessage:
    """A message that is inserted; ``text`` of one of them holds the summary."""

    speaker: Speaker
    text: str


@dataclass(frozen=True, slots=True)
class SummaryRule:
    """The table [summary] of a preset.

    ``prompt`` is the name of the summary's prompt, ``verify`` of the second call that checks it, ``turn``
    of the second call for the beginning of an exchange that the cut divides. ``insert`` are the messages
    that take the place of what is summarised. ``inside`` is the tag whose content is kept, ``headings``
    asks for at least one of the prompt's sections. ``most_output`` in tokens. Of the messages given:
    results of tools at most ``result_chars`` long, no media, only the newest ``last_tokens``, results
    taken out by the percentages of ``ladder`` until it fits the window. ``file_lists`` adds the files
    that were read and changed, from the calls themselves. 0 and empty: not so.
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
        """The names of the prompts that it sends, the summary's first."""
        return tuple(filter(None, (self.prompt, self.verify, self.turn)))


@dataclass(frozen=True, slots=True)
class WrittenSummary:
    """A summary as it is inserted, the calls that it took, and the most tokens it may have.

    ``unread`` says by position why a message was not given to the model.
    """

    summary: Summary
    calls: tuple[ModelCall, ...]
    most: int
    unread: Mapping[int, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SummaryWriter:
    """What the calls of one run share; ``stay`` are positions that are read, but not replaced."""

    context: StrategyContext
    preset: str
    rule: SummaryRule
    stay: frozenset[int] = frozenset()

    def write(
        self, messages: Sequence[Message], positions: Sequence[int], turn: int | None
    ) -> WrittenSummary:
        """The summary of messages that stand at ascending positions.

        ``turn`` is the position at which an exchange begins that goes on after them, None where there is
        none. CompactionFailed where a call fails or its answer cannot be used.
        """
        parts = self._parts(tuple(messages), tuple(positions), turn)
        written = [self._part(name, part, single=len(parts) == 1) for name, part in parts]
        text = _TURN.join(one.summary.text for one in written)
        if self.rule.file_lists:
            text += file_lists(messages)
        first = written[0]
        return WrittenSummary(
            replace(first.summary, text=text),
            tuple(call for one in written for call in one.calls),
            sum(one.most for one in written),
            {at: reason for one in written for at, reason in one.unread.items()},
            tuple(warning for one in written for warning in one.warnings),
        )

    def _parts(
        self, messages: tuple[Message, ...], positions: tuple[int, ...], turn: int | None
    ) -> list[tuple[str, SummaryInput]]:
        """What is summarised by which prompt: one part, or two where an exchange is divided."""
        if not self.rule.turn or turn is None or turn not in positions:
            return [(self.rule.prompt, SummaryInput(messages, positions))]
        at = positions.index(turn)
        late = (self.rule.turn, SummaryInput(messages[at:], positions[at:]))
        return [(self.rule.prompt, SummaryInput(messages[:at], positions[:at])), late] if at else [late]

    def _part(self, name: str, whole: SummaryInput, *, single: bool) -> WrittenSummary:
        """The summary of one part by one prompt, checked by a second call where the rule says so."""
        context, rule = self.context, self.rule
        most = self._most(whole)
        prompt = self._prompt(name, most)
        given = self._given(whole, prompt, most)
        leads = single or name == rule.prompt
        request = SummaryRequest(
            prompt,
            given.messages,
            given.positions,
            _TRIGGER,
            most,
            context.todos if leads else "",
            context.transcript if leads else "",
            context.focus,
            most_output=rule.most_output or None,
            purpose="" if single and not rule.verify else _purpose(rule, name),
        )
        written = self._asked(request)
        if rule.verify:
            written = self._checked(request, written)
        calls = (_with_steps(written.calls[0], given.steps), *written.calls[1:])
        warnings = (*self._losses(whole, given), *written.warnings)
        return replace(written, calls=calls, unread=given.unread, warnings=warnings)

    def _checked(self, request: SummaryRequest, draft: WrittenSummary) -> WrittenSummary:
        """What a second call makes of the first one's summary."""
        check = self._prompt(self.rule.verify, request.max_tokens) + _DRAFT + draft.summary.text
        final = self._asked(replace(request, trigger=check, purpose=f"check of the {request.purpose}"))
        calls, warnings = (*draft.calls, *final.calls), (*draft.warnings, *final.warnings)
        return replace(final, calls=calls, warnings=warnings)

    def _asked(self, request: SummaryRequest) -> WrittenSummary:
        """The answer to one request."""
        summariser, answer = ask_summariser(self.context, self.preset, request)
        text = self._usable(summariser, answer, request.prompt, request.max_tokens)
        summary = Summary(text, summariser.profile, summariser.model, answer.sections)
        call = call_record(self.context, request, summariser, answer, request.purpose)
        return WrittenSummary(summary, (call,), request.max_tokens, warnings=answer.warnings)

    def _most(self, whole: SummaryInput) -> int:
        """The most tokens of the summary, by those of the messages that it replaces."""
        pairs = zip(whole.positions, whole.messages, strict=True)
        replaced = self.context.estimate_tokens([message for at, message in pairs if at not in self.stay])
        most = summary_budget(self.context.values.whole(SUMMARY_TOKENS), replaced)
        return min(most, self.rule.most_output or most)

    def _prompt(self, name: str, most: int) -> str:
        """The text of a prompt; the first may be one that is being edited and has no name yet."""
        text = self.context.prompt if name == self.rule.prompt else self.context.prompts.get(name, "")
        return fill_placeholders(text, {"max_tokens": str(most), "focus": self.context.focus})

    def _given(self, whole: SummaryInput, prompt: str, most: int) -> SummaryInput:
        """The messages as the summariser is given them."""
        rule, count = self.rule, self.context.estimate_tokens
        given = without_media(whole) if rule.strip_media else whole
        given = short_results(given, rule.result_chars) if rule.result_chars else given
        given = newest_messages(given, rule.last_tokens, count) if rule.last_tokens else given
        if not rule.ladder:
            return given
        limit = self.context.limit
        frame = count((human_text(prompt), human_text(_TRIGGER)))
        fits = fit_summary_input(given, rule.ladder, None if limit is None else limit - frame - most, count)
        if fits is None:
            raise CompactionFailed(
                f"{self.preset}: the summary request does not fit into {limit:,} tokens, even without "
                "the results of tools.",
                _UNCHANGED,
            )
        return fits

    def _losses(self, whole: SummaryInput, given: SummaryInput) -> list[str]:
        """What a person must know of messages that the model never saw."""
        lost = [whole.messages[place] for place, at in enumerate(whole.positions) if at in given.unread]
        if not lost:
            return []
        tokens = self.context.estimate_tokens(lost)
        share = f"{len(lost)} of {len(whole.messages)} messages ({tokens:,} tokens)"
        if given.steps:
            return [f"{self.preset} took results out of {share} before the model read them."]
        return [
            f"{self.preset} gave the model its newest {self.rule.last_tokens:,} tokens only; dropped unread: "
            f"{share}."
        ]

    def _usable(self, summariser: Summariser, answer: SummaryResponse, prompt: str, most: int) -> str:
        """The part of an answer that counts; CompactionFailed where nothing of it does."""
        if answer.unwritten:
            return answer.text
        text = _inside(answer.text, self.rule.inside)
        who = f"{self.preset}: the summary of {summariser.profile} ({summariser.model})"
        if not text:
            raise CompactionFailed(f"{who} holds nothing but its draft.", _UNCHANGED)
        if self.rule.headings and not self._is_headed(answer.text, prompt, most):
            raise CompactionFailed(f"{who} has none of the headings that were asked for.", _UNCHANGED)
        return text

    def _is_headed(self, text: str, prompt: str, most: int) -> bool:
        """True for a text with one of the sections, and for any where they would crowd out the rest."""
        sections = required_sections(prompt)
        crowd = self.context.estimate_tokens((human_text("\n".join(sections)),)) * _CROWDED > most
        digest = text.startswith(DIGEST_TITLE)
        return digest or crowd or not sections or any(_headed(text, section) for section in sections)


def _inside(text: str, tag: str) -> str:
    """The text in a tag, or all of it where the tag is not there, without what was thought before and
    without a title, which the frame has."""
    plain = _THINKING.sub("", text) if tag else text
    found = re.search(rf"<{tag}>(.*?)(?:</{tag}>|\Z)", plain, re.DOTALL) if tag else None
    return (found[1] if found else plain).strip().removeprefix(DIGEST_TITLE).strip()


def _headed(text: str, section: str) -> bool:
    """True where a line is a section's heading, whatever stands before and after the words."""
    return any(line.strip(" #*:0123456789.").lower() == section.lower() for line in text.splitlines())


def _purpose(rule: SummaryRule, name: str) -> str:
    return "beginning of the exchange" if name == rule.turn else "summary"


def _with_steps(call: ModelCall, steps: Sequence[str]) -> ModelCall:
    """The record of a call with what was taken out of its request beforehand."""
    return replace(call, steps=(*steps, *call.steps), ladder=(*steps, *call.ladder))
