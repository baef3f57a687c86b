"""Collects reported request sizes from the records of answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.formats.common.json_access import fields_of, number_of, sum_of
from core.transcript.model import Message, ReportedUsage, Source, Speaker

INPUT_TOKEN_FIELDS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
"""Fields of a usage that add up to the size of a request."""


@dataclass(slots=True)
class UsageReports:
    """Reports by the record of the answer; in a record of several messages the last one was reported."""

    _reports: dict[tuple[int, int], tuple[int, int | None, str]] = field(default_factory=dict)

    def add(self, source: Source, context: int | None, output: int | None = None, model: str = "") -> None:
        """Note the size of the request that a record answers, if it is reported."""
        if context and context > 0:
            self._reports[source.line, source.start] = context, output, model

    def reported_usage(self, messages: Sequence[Message]) -> tuple[ReportedUsage, ...]:
        indices = {
            (message.sources[0].line, message.sources[0].start): index
            for index, message in enumerate(messages)
            if message.speaker is Speaker.AI and message.sources
        }
        return tuple(
            ReportedUsage(index, *self._reports[record])
            for record, index in indices.items()
            if record in self._reports
        )


def openai_usage(value: Json) -> tuple[int | None, int | None]:
    """Return tokens of request (with cached ones) and answer, as OpenAI's and similar APIs report them."""
    usage = fields_of(value)
    return number_of(usage.get("prompt_tokens")), number_of(usage.get("completion_tokens"))


def inspect_usage(value: Json) -> tuple[int | None, int | None]:
    """Do the same for Inspect, which reports cached tokens inside or beside the input, depending on the
    provider; the total decides."""
    usage = fields_of(value)
    total, output = number_of(usage.get("total_tokens")), number_of(usage.get("output_tokens"))
    if total is not None and output is not None:
        return total - output, output
    names = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")
    return sum_of(*map(usage.get, names)), output
