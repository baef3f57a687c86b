"""The export formats, in the order in which they are offered."""

from __future__ import annotations

from core.common.errors import InputError, did_you_mean
from core.formats.anthropic import writer as anthropic_messages
from core.formats.claude_code import writer as claude_code
from core.formats.codex import writer as codex_rollout
from core.formats.gemini import writer as gemini
from core.formats.gemini_cli import writer as gemini_cli
from core.formats.llxprt import writer as llxprt
from core.formats.openai_chat import writer as openai_chat
from core.formats.openai_responses import writer as openai_responses
from core.formats.openhands import writer as openhands
from core.formats.pi import writer as pi_agent
from core.formats.sharegpt import writer as sharegpt
from core.formats.swe_agent import writer as swe_agent
from core.formats.writing.base import Exporter
from core.reports import (
    command_writer,
    csv_writer,
    golden_case_writer,
    html_writer,
    markdown_writer,
    request_writer,
)

EXPORTERS: tuple[Exporter, ...] = (
    claude_code.EXPORTER,
    openai_chat.EXPORTER,
    anthropic_messages.EXPORTER,
    gemini.EXPORTER,
    gemini_cli.EXPORTER,
    llxprt.EXPORTER,
    openai_responses.EXPORTER,
    codex_rollout.EXPORTER,
    pi_agent.EXPORTER,
    sharegpt.EXPORTER,
    swe_agent.EXPORTER,
    openhands.EXPORTER,
    markdown_writer.EXPORTER,
    html_writer.EXPORTER,
    csv_writer.EXPORTER,
    request_writer.EXPORTER,
    request_writer.TEXT_EXPORTER,
    command_writer.EXPORTER,
    golden_case_writer.EXPORTER,
)


def find_exporter(name: str) -> Exporter:
    """Return the exporter with that name or short name. Raises InputError that lists the known ones."""
    for exporter in EXPORTERS:
        if name == exporter.name or name in exporter.short_names:
            return exporter
    names = [exporter.name for exporter in EXPORTERS]
    hint = did_you_mean(
        name,
        [*names, *(short_name for known_exporter in EXPORTERS for short_name in known_exporter.short_names)],
    )
    raise InputError(f"Nothing can be exported as {name!r}.", f"{hint}Known: {', '.join(names)}.")
