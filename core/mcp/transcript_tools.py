"""The tools on a transcript: inspect, lint and compact, with the keys of their ``--json`` output."""

from __future__ import annotations

from collections.abc import Mapping

from core.cli import compact as compact_command
from core.cli import inspect as inspect_command
from core.cli import lint as lint_command
from core.cli.opened_transcript import make_preview
from core.cli.output import json_output
from core.cli.output.census import history_statistics
from core.common.errors import CompactionFailed
from core.common.json_value import Json
from core.lint.lint import PROVIDERS, default_provider, find_provider
from core.lint.lint import lint_messages as find_faults
from core.mcp.argument_schema import object_schema
from core.mcp.message_source import CHOICES, OUT, SOURCE, check_out, open_source, taken_result
from core.reports.report_input import export_input
from core.transcript.compaction import NoOpCode
from core.transcript.scopes import history_of_scope

INSPECT = object_schema({**SOURCE, **CHOICES})
LINT = object_schema(
    {
        **SOURCE,
        "provider": {
            "type": "string",
            "enum": [provider.name for provider in PROVIDERS],
            "description": "The API; by default the one of the format.",
        },
    }
)
COMPACT = object_schema(
    {
        **SOURCE,
        **CHOICES,
        "focus": {"type": "string", "description": "What the summary should keep above all."},
        "details": {
            "type": "boolean",
            "description": "false leaves out what became of each message (fates, result). True by default.",
        },
        **OUT,
    }
)

_DETAILS = ("fates", "result")


def inspect_messages(given: Mapping[str, Json]) -> str:
    """What the messages are, as ``inspect --json`` says it."""
    opened = open_source(given)
    made = make_preview(opened, draft=True)
    return json_output.json_output_text(
        "inspect", inspect_command.inspect_json(opened, made, history_statistics(made, opened.stages))
    )


def lint_transcript(given: Mapping[str, Json]) -> str:
    """Whether an API would take the messages, as ``lint --json`` says it."""
    provider = given.get("provider", "")
    if provider:
        find_provider(provider)
    opened = open_source(given)
    messages = history_of_scope(opened.conversation, opened.options.scope).messages
    provider = provider or default_provider(opened.conversation.format)
    found = find_faults(messages, provider)
    return json_output.json_output_text(
        "lint", lint_command.lint_json(opened, provider, len(messages), found)
    )


def compact_messages(given: Mapping[str, Json]) -> str:
    """What a strategy makes of the messages, as ``compact --json`` says it, and the result itself.

    Raises CompactionFailed where the summary failed and nothing was compacted.
    """
    opened = open_source(given)
    check_out(opened, given)
    made = make_preview(opened)
    no_op = made.compaction.no_op
    if no_op is not None and no_op.code is NoOpCode.SUMMARY_FAILED:
        raise CompactionFailed(no_op.reason)
    away = taken_result(opened, export_input(made, result=True, why=opened.why), given)
    values = compact_command.compact_json(opened, made, tuple(away.pop("notes", ())))
    if not given.get("details", True):
        values |= dict.fromkeys(_DETAILS)
    return json_output.json_output_text("compact", values | away)
