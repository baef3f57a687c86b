"""The tools on a transcript: inspect, lint and compact, with the keys of their ``--json`` output."""

from __future__ import annotations

from collections.abc import Mapping

from core.cli import compact as compact_command
from core.cli import inspect as inspect_command
from core.cli import lint as lint_command
from core.cli.opened_transcript import make_preview
from core.cli.output.census import history_statistics
from core.cli.output.json_output import json_output_text
from core.common.errors import CompactionFailed
from core.common.json_value import Json
from core.lint.lint import PROVIDERS, default_provider, find_provider
from core.lint.lint import lint_messages as find_faults
from core.mcp.argument_schema import argument, object_schema
from core.mcp.message_source import (
    OUTPUT_ARGUMENTS,
    RUN_ARGUMENTS,
    SOURCE_ARGUMENTS,
    check_output_target,
    deliver_result,
    open_source,
)
from core.reports.report_input import export_input
from core.transcript.compaction import NoOpCode
from core.transcript.scopes import history_of_scope

INSPECT_SCHEMA = object_schema({**SOURCE_ARGUMENTS, **RUN_ARGUMENTS})
LINT_SCHEMA = object_schema(
    {
        **SOURCE_ARGUMENTS,
        "provider": {
            "type": "string",
            "enum": [provider.name for provider in PROVIDERS],
            "description": "The API; by default the one of the format.",
        },
    }
)
COMPACT_SCHEMA = object_schema(
    {
        **SOURCE_ARGUMENTS,
        **RUN_ARGUMENTS,
        "focus": argument("string", "What the summary should keep above all."),
        "details": argument(
            "boolean", "false leaves out what became of each message (fates, result). True by default."
        ),
        **OUTPUT_ARGUMENTS,
    }
)

_DETAIL_KEYS = ("fates", "result")


def inspect_messages(arguments: Mapping[str, Json]) -> str:
    """Return the output of ``inspect --json`` for the messages."""
    opened = open_source(arguments)
    preview = make_preview(opened, draft=True)
    statistics = history_statistics(preview, opened.stages)
    return json_output_text("inspect", inspect_command.inspect_json(opened, preview, statistics))


def lint_transcript(arguments: Mapping[str, Json]) -> str:
    """Return the output of ``lint --json`` for the messages."""
    provider = arguments.get("provider", "")
    if provider:
        find_provider(provider)
    opened = open_source(arguments)
    messages = history_of_scope(opened.conversation, opened.options.scope).messages
    provider = provider or default_provider(opened.conversation.format)
    findings = find_faults(messages, provider)
    return json_output_text("lint", lint_command.lint_json(opened, provider, len(messages), findings))


def compact_messages(arguments: Mapping[str, Json]) -> str:
    """Return the output of ``compact --json`` for the messages, and the result itself.

    Raises CompactionFailed where the summary failed and nothing was compacted.
    """
    opened = open_source(arguments)
    check_output_target(opened, arguments)
    preview = make_preview(opened)
    no_op = preview.compaction.no_op
    if no_op is not None and no_op.code is NoOpCode.SUMMARY_FAILED:
        raise CompactionFailed(no_op.reason)
    content = export_input(preview, result=True, format_reason=opened.format_reason)
    result_values = deliver_result(opened, content, arguments)
    values = compact_command.compact_json(opened, preview, tuple(result_values.pop("notes", ())))
    if not arguments.get("details", True):
        values |= dict.fromkeys(_DETAIL_KEYS)
    return json_output_text("compact", values | result_values)
