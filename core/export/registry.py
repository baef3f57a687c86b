"""The export formats there are, in the order in which they are offered."""

from __future__ import annotations

from core.common.errors import InputError, did_you_mean
from core.export import (
    anthropic_messages,
    claude_code,
    codex_rollout,
    command_line,
    csv_rows,
    gemini,
    gemini_cli,
    golden_case,
    html_report,
    llxprt,
    markdown,
    openai_chat,
    openai_responses,
    openhands,
    pi_agent,
    request,
    request_text,
    sharegpt,
    swe_agent,
)
from core.export.base import Exporter

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
    markdown.EXPORTER,
    html_report.EXPORTER,
    csv_rows.EXPORTER,
    request.EXPORTER,
    request_text.EXPORTER,
    command_line.EXPORTER,
    golden_case.EXPORTER,
)


def find_exporter(name: str) -> Exporter:
    """The exporter of a name or short name; InputError with the known ones otherwise."""
    for exporter in EXPORTERS:
        if name == exporter.name or name in exporter.short_names:
            return exporter
    names = [exporter.name for exporter in EXPORTERS]
    hint = did_you_mean(name, [*names, *(short for one in EXPORTERS for short in one.short_names)])
    raise InputError(f"Nothing can be exported as {name!r}.", f"{hint}Known: {', '.join(names)}.")
