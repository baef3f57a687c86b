"""The tools of the server: one ordered registry, and the one way to call them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from core.common.errors import FoldlineError
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.mcp import manual_compaction, transcript_tools
from core.mcp.argument_schema import check_arguments
from core.mcp.manual_compaction import ManualCompactions
from core.strategies.hybrid.agent_tools import DEFINITIONS

_MAX_ERROR = 2000  # characters of an error


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool; ``run`` gets the compressions that the server's clients have opened, and the arguments."""

    name: str
    description: str
    schema: Mapping[str, Json]
    run: Callable[[ManualCompactions, Mapping[str, Json]], str]


@dataclass(frozen=True, slots=True)
class McpResult:
    """The answer to a call: JSON text, or one sentence where it failed."""

    text: str
    is_error: bool = False


def _call_hybrid_tool(name: str, sessions: ManualCompactions, arguments: Mapping[str, Json]) -> str:
    return sessions.call(name, arguments)


TOOLS: tuple[McpTool, ...] = (
    McpTool(
        "compact",
        (
            "Shortens a conversation with a strategy: your own messages before a new area of work, after "
            "major work is done or when the context shows wear, or a transcript file. Returns sizes, the "
            "summary, what became of each message and, for messages that you pass, the shorter ones in the "
            "same shape. The source is never changed."
        ),
        transcript_tools.COMPACT_SCHEMA,
        lambda _, arguments: transcript_tools.compact_messages(arguments),
    ),
    McpTool(
        "inspect",
        (
            "Says what a conversation is: format, messages, tokens by speaker and kind, calls without an "
            "answer, recorded compactions, context limit and how much of it is used."
        ),
        transcript_tools.INSPECT_SCHEMA,
        lambda _, arguments: transcript_tools.inspect_messages(arguments),
    ),
    McpTool(
        "lint",
        "Checks whether an API would take the messages as they are, and names what it would refuse.",
        transcript_tools.LINT_SCHEMA,
        lambda _, arguments: transcript_tools.lint_transcript(arguments),
    ),
    McpTool(
        "open_compression",
        (
            "Opens a conversation for compression by hand. Returns a handle for the four tools that follow, "
            "the size and the target in tokens. close_compression gives the result."
        ),
        manual_compaction.OPEN_SCHEMA,
        ManualCompactions.open,
    ),
    *(
        McpTool(
            one["name"],
            one["description"],
            manual_compaction.with_handle(one),
            partial(_call_hybrid_tool, one["name"]),
        )
        for one in DEFINITIONS
    ),
    McpTool(
        "close_compression",
        "Ends a compression by hand and returns what became of the messages, or writes it to a new file.",
        manual_compaction.CLOSE_SCHEMA,
        ManualCompactions.close,
    ),
)
"""All tools, in the order in which they are listed."""


def run_tool(sessions: ManualCompactions, name: str, arguments: Mapping[str, Json]) -> McpResult:
    """Carry out a call; every error becomes a sentence."""
    tool = next((candidate for candidate in TOOLS if candidate.name == name), None)
    if tool is None:
        known_names = ", ".join(candidate.name for candidate in TOOLS)
        return McpResult(f"There is no tool {name!r}. Known: {known_names}.", True)
    try:
        return McpResult(tool.run(sessions, check_arguments(name, tool.schema, arguments)))
    except FoldlineError as error:
        return McpResult(one_line_text(str(error), _MAX_ERROR), True)
    except Exception as error:
        # The server continues; the client's model reads the error, the user finds the report.
        from core.common.crash_report import crash_report, save_report, without_secrets

        save_report(crash_report(error, f"foldline mcp, {name}"))
        return McpResult(
            one_line_text(without_secrets(f"Foldline failed: {type(error).__name__}: {error}."), _MAX_ERROR),
            True,
        )
