"""The tools of the server: one ordered registry, and the one way to call them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from core.app.services.repair import plan_repair, repair_target
from core.app.services.transcript import transcript_findings
from core.cli import compact as compact_command
from core.cli.inspect import inspect_json
from core.cli.lint import lint_json
from core.cli.make_preview import make_preview
from core.cli.output.inspect_text import history_statistics
from core.cli.output.json_output import json_output_text
from core.cli.repair import repair_json
from core.common.crash_report import crash_report, save_report, without_secrets
from core.common.errors import CompactionFailed, FoldlineError
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.common.paths import config_dir, state_dir
from core.lint.lint import PROVIDERS, find_provider
from core.mcp import manual_compaction
from core.mcp.folders import readable_path
from core.mcp.manual_compaction import (
    OUTPUT_ARGUMENTS,
    RUN_ARGUMENTS,
    SOURCE_ARGUMENTS,
    ManualCompactions,
    argument,
    check_arguments,
    deliver_result,
    export_request,
    object_schema,
    open_source,
)
from core.reports.report_data import export_input
from core.strategies.hybrid_agent import DEFINITIONS
from core.strategies.stubs import expand_result, stored_results, stubbed_results
from core.transcript.compaction import NoOpCode
from core.transcript.scopes import history_of_scope

# The answers of the tools compact and inspect without details: small, whatever the file holds.


MAX_BYTES = 2000
"""The most bytes of an answer without details, apart from messages that come back."""
_KEYS = (
    "file",
    "format",
    "scope",
    "strategy",
    "mode",
    "model",
    "limit",
    "trigger",
    "target",
    "before",
    "after",
)
_OUTCOME_KEYS = (
    *("no_op", "no_op_code", "calls", "warnings", "lint", "losses"),
    *("summary_check", "summary"),
)
_TEXT_LISTS = ("scopes", "warnings", "repaired")  # of an inspection
_MOST_TEXTS, _TEXT = 3, 160  # texts of a list, characters of each


def brief_answer(values: Mapping[str, Json]) -> dict[str, Json]:
    """Return some keys of ``compact --json`` with counts for lists; ``left_out`` names the other
    keys."""
    brief = {key: _short(values[key]) for key in (*_KEYS, *_OUTCOME_KEYS[:2])}
    brief["calls"] = len(values["calls"])
    brief["warnings"] = _first(values["warnings"])
    found = values["summary_check"]
    brief["summary_check"] = found and _first([one["text"] for one in found])
    brief["lint"] = {
        name: {when: _verdict(one) for when, one in sides.items()}
        for name, sides in values["lint"].items()
    }
    losses = values["losses"] or {}
    brief["losses"] = losses and {
        "removed": losses["removed"],
        "gone": {
            kind["kind"]: kind["gone"] for kind in losses["kinds"] if kind["gone"]
        },
    }
    brief["left_out"] = [
        key for key in values if key not in _KEYS and key not in _OUTCOME_KEYS
    ]
    brief["summary"] = ""
    room = MAX_BYTES - len(json.dumps(brief)) - 100  # for the head of every answer
    brief["summary"] = _excerpt((values["summary"] or {}).get("text") or "", room)
    return brief


_LONG_PARTS = {
    "split": ("trace",),
    "calibration": ("segments",),
    "paid": ("requests", "compactions"),
}
"""Lists inside objects of an inspection, which a brief one leaves out."""


def brief_inspection(values: Mapping[str, Json]) -> dict[str, Json]:
    """Return ``inspect --json`` with numbers for lists, which ``left_out`` names."""
    lists = [
        key
        for key, value in values.items()
        if isinstance(value, list | tuple) and key not in _TEXT_LISTS
    ]
    brief: dict[str, Json] = {
        key: len(value) if key in lists else _short(value)
        for key, value in values.items()
    }
    brief |= {key: _first(values[key]) for key in _TEXT_LISTS}
    brief["lint"] = {name: _verdict(one) for name, one in values["lint"].items()}
    for key, parts in _LONG_PARTS.items():
        if brief[key]:
            brief[key] = {
                name: value for name, value in brief[key].items() if name not in parts
            }
    return brief | {"left_out": [key for key in lists if values[key]]}


def _verdict(findings: Mapping[str, Json]) -> dict[str, Json]:
    return {key: findings[key] for key in ("valid", "errors", "warnings")}


def _short(value: Json) -> Json:
    if isinstance(value, str):
        return one_line_text(value, _TEXT)
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    return value


def _first(texts: Sequence[str]) -> list[str]:
    more = len(texts) - _MOST_TEXTS
    shown = [one_line_text(text, _TEXT) for text in texts[:_MOST_TEXTS]]
    if more > 0:
        return [*shown, f"{more} more; details has them."]
    return shown


def _excerpt(text: str, room: int) -> str:
    """Return the beginning of a text that takes at most ``room`` bytes as JSON."""
    excerpt = text[: max(0, room)]
    while excerpt and len(json.dumps(excerpt)) > room:
        excerpt = excerpt[: len(excerpt) * room // len(json.dumps(excerpt))]
    if excerpt == text:
        return excerpt
    if len(excerpt) > 8:
        return excerpt[:-1] + "…"
    return ""


SCHEMA: Mapping[str, Json] = {
    "type": "object",
    "properties": {
        "strategy": {"type": "string"},
        "before": {
            "type": "object",
            "description": "messages and tokens of the conversation",
        },
        "after": {"type": "object", "description": "messages and tokens of the result"},
        "no_op": {"type": ["string", "null"], "description": "why nothing changed"},
        "summary": {
            "description": "the beginning of the summary; with details an object"
        },
        "summary_check": {
            "description": "what the check of the summary found; with details objects"
        },
        "losses": {
            "description": "what was removed, and how many facts of each kind are gone"
        },
        "messages": {"description": "the shorter messages, where messages were passed"},
        "written": {"type": "string", "description": "the file that was written"},
    },
    "required": ["strategy", "before", "after", "no_op"],
}


INSPECT_SCHEMA = object_schema(
    {
        **SOURCE_ARGUMENTS,
        **RUN_ARGUMENTS,
        "details": argument(
            "boolean", "true adds the lists: recorded compactions, branches, findings …"
        ),
    }
)
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
            "boolean",
            (
                "true adds what became of each message, the whole summary and more: often 100 "
                "kB and above."
            ),
        ),
        **OUTPUT_ARGUMENTS,
    }
)


def inspect_messages(arguments: Mapping[str, Json]) -> str:
    transcript = open_source(arguments)
    preview = make_preview(transcript, provisional=True)
    statistics = history_statistics(transcript, preview)
    values = inspect_json(transcript, preview, statistics)
    return json_output_text(
        "inspect",
        values if arguments.get("details", False) else brief_inspection(values),
    )


def lint_transcript(arguments: Mapping[str, Json]) -> str:
    provider = arguments.get("provider", "")
    if provider:
        find_provider(provider)
    transcript = open_source(arguments)
    report = transcript_findings(transcript.analysis_input(), provider)
    return json_output_text("lint", lint_json(transcript, report))


REPAIR_SCHEMA = object_schema(
    {
        **SOURCE_ARGUMENTS,
        "images": {
            "type": "string",
            "enum": ["oldest"],
            "description": "Turn the oldest images over a limit of the provider into a line.",
        },
        **OUTPUT_ARGUMENTS,
    }
)


def repair_transcript(
    sessions: ManualCompactions, arguments: Mapping[str, Json]
) -> str:
    """Return the output of ``repair --json``, and the mended messages themselves."""
    transcript = open_source(arguments)
    request = export_request(transcript, arguments, sessions.folder)
    if request is not None:
        target = request.format
    else:
        target = repair_target(transcript.conversation)
    history = history_of_scope(transcript.conversation, transcript.scope)
    leaves_out = bool(arguments.get("images"))
    plan = plan_repair(
        transcript.conversation, history, target, leaves_out_images=leaves_out
    )
    result_values = deliver_result(transcript, plan.content, arguments, sessions.folder)
    if "messages" in result_values:
        messages = {"result": result_values.pop("messages")}
    else:
        messages = {}
    return json_output_text(
        "repair", repair_json(transcript, plan) | result_values | messages
    )


EXPAND_SCHEMA = object_schema(
    {
        "handle": argument("string", "The handle in a stub: r-…"),
        **{
            name: SOURCE_ARGUMENTS[name]
            for name in ("path", "format", "conversation", "branch")
        },
    },
    "handle",
)


def expand_stub(sessions: ManualCompactions, arguments: Mapping[str, Json]) -> str:
    """Return the original of a stub, from the file or from messages that this server compacted."""
    handle = str(arguments["handle"])
    stored = sessions.stored
    if "path" in arguments:
        source = {name: value for name, value in arguments.items() if name != "handle"}
        stored = stored_results(open_source(source).conversation.messages)
    return json_output_text(
        "expand", {"handle": handle, "text": expand_result(stored, handle)}
    )


def compact_messages(sessions: ManualCompactions, arguments: Mapping[str, Json]) -> str:
    """Return a brief answer, with ``details`` the output of ``compact --json``; and the result
    itself.

    Raises CompactionFailed where the summary failed and nothing was compacted.
    """
    transcript = open_source(arguments, opens_current=True)
    export_request(
        transcript, arguments, sessions.folder
    )  # refused before it is paid for
    preview = make_preview(transcript)
    no_op = preview.result.compaction.no_op
    if no_op is not None and no_op.code is NoOpCode.SUMMARY_FAILED:
        raise CompactionFailed(no_op.reason)
    if "messages" in arguments:
        sessions.stored |= stubbed_results(preview.messages, preview.result.compaction)
    content = export_input(
        preview,
        result=True,
        format_reason=transcript.format_reason,
        stages=transcript.stages,
    )
    result_values = deliver_result(transcript, content, arguments, sessions.folder)
    values = compact_command.compact_json(
        transcript, preview, tuple(result_values.pop("notes", ()))
    )
    if not arguments.get("details", False):
        values = brief_answer(values)
    return json_output_text("compact", values | result_values)


_MAX_ERROR = 2000  # characters of an error


@dataclass(frozen=True, slots=True, kw_only=True)
class McpTool:
    """A tool; ``run`` gets the compactions that the server's clients have opened, and the
    arguments.

    ``output`` is the schema of its answer, an object of JSON. ``writes``: it may write a
    file if the server has a folder for results; ``pays``: it may call a model of another host.
    """

    name: str
    description: str
    schema: Mapping[str, Json]
    run: Callable[[ManualCompactions, Mapping[str, Json]], str]
    output: Mapping[str, Json]
    writes: bool = False
    pays: bool = False


@dataclass(frozen=True, slots=True)
class McpResult:
    """The answer to a call: JSON text, or one sentence where it failed."""

    text: str
    is_error: bool = False


_ABSOLUTE = re.compile(r"(?<![\w.:/\\~-])(?:[A-Za-z]:\\|/)(?:[^\s\"'<>|:;,()]+[/\\])+")
"""The folders at the beginning of an absolute path."""


def without_folders(text: str, arguments: Mapping[str, Json]) -> str:
    """Return an error without the folders of this machine, but those that the client itself
    named."""
    named = [value for value in arguments.values() if isinstance(value, str)]
    for folder in (
        Path.cwd(),
        config_dir(),
        state_dir(),
        Path.home(),
    ):  # their names may hold blanks
        if not any(str(folder) in one for one in named):
            text = text.replace(f"{folder}{os.sep}", "")
    return _ABSOLUTE.sub(
        lambda match: match[0] if any(match[0] in one for one in named) else "", text
    )


def _call_hybrid_tool(
    name: str, sessions: ManualCompactions, arguments: Mapping[str, Json]
) -> str:
    return sessions.call(name, arguments)


def _answer_schema(*required: str) -> dict[str, Json]:
    """Return the schema of an answer that has these keys, among those of the command line's
    JSON."""
    return {
        "type": "object",
        "properties": {name: {} for name in required},
        "required": list(required),
    }


TOOLS: tuple[McpTool, ...] = (
    McpTool(
        name="compact",
        description=(
            "Shortens a conversation with a strategy: your own messages before a new area of work, after "
            "major work is done or when the context shows wear, or a transcript file. Returns sizes, the "
            "beginning of the summary and, for messages that you pass, the shorter ones in the same shape; "
            "with details what became of each message. The source is never changed."
        ),
        schema=COMPACT_SCHEMA,
        run=compact_messages,
        output=SCHEMA,
        writes=True,
        pays=True,
    ),
    McpTool(
        name="inspect",
        description=(
            "Says what a conversation is: format, messages, tokens by speaker and kind, calls without an "
            "answer, recorded compactions, context limit and how much of it is used."
        ),
        schema=INSPECT_SCHEMA,
        run=lambda _, arguments: inspect_messages(arguments),
        output=_answer_schema("format", "messages", "tokens"),
    ),
    McpTool(
        name="lint",
        description="Checks whether an API would take the messages as they are, and names what it would "
        "refuse.",
        schema=LINT_SCHEMA,
        run=lambda _, arguments: lint_transcript(arguments),
        output=_answer_schema("provider", "valid", "findings"),
    ),
    McpTool(
        name="repair",
        description="Mends messages that an API refuses: calls without results, results without calls, "
        "thinking, images. "
        "Returns every change with its reason, and the messages in order.",
        schema=REPAIR_SCHEMA,
        run=repair_transcript,
        output=_answer_schema(),
        writes=True,
    ),
    McpTool(
        name="expand",
        description="Returns the whole tool result that a stub stands for: [Stored as r-…].",
        schema=EXPAND_SCHEMA,
        run=expand_stub,
        output=_answer_schema("handle", "text"),
    ),
    McpTool(
        name="open_compression",
        description=(
            "Opens a conversation for compaction by hand. Returns a handle for the four tools that follow, "
            "the size and the target in tokens. close_compression gives the result."
        ),
        schema=manual_compaction.OPEN_SCHEMA,
        run=ManualCompactions.open,
        output=_answer_schema("handle"),
    ),
    *(
        McpTool(
            name=one["name"],
            description=one["description"],
            schema=manual_compaction.with_handle(one),
            run=partial(_call_hybrid_tool, one["name"]),
            output=_answer_schema(),
        )
        for one in DEFINITIONS
    ),
    McpTool(
        name="close_compression",
        description="Ends a compaction by hand and returns what became of the messages, or writes it to "
        "a new file.",
        schema=manual_compaction.CLOSE_SCHEMA,
        run=ManualCompactions.close,
        output=_answer_schema(),
        writes=True,
    ),
)
"""All tools, in the order in which they are listed."""


def run_tool(
    sessions: ManualCompactions, name: str, arguments: Mapping[str, Json]
) -> McpResult:
    """Carry out a call; every error becomes a sentence."""
    tool = next((candidate for candidate in TOOLS if candidate.name == name), None)
    if tool is None:
        known_names = ", ".join(candidate.name for candidate in TOOLS)
        return McpResult(f"There is no tool {name!r}. Known: {known_names}.", True)
    try:
        checked = check_arguments(name, tool.schema, arguments)
        if "path" in checked and sessions.read_from is not None:
            checked["path"] = readable_path(sessions.read_from, checked["path"])
        return McpResult(tool.run(sessions, checked))
    except FoldlineError as error:
        return McpResult(
            one_line_text(without_folders(str(error), arguments), _MAX_ERROR), True
        )
    except Exception as error:
        # The server continues; the client's model reads the error, the user finds the report.

        save_report(crash_report(error, f"foldline mcp, {name}"))
        return McpResult(
            one_line_text(
                without_folders(
                    without_secrets(
                        f"Foldline failed: {type(error).__name__}: {error}."
                    ),
                    arguments,
                ),
                _MAX_ERROR,
            ),
            True,
        )
