"""The command ``foldline mcp``: the server on standard input and output that offers the tools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from core.cli.arguments import CommandParser, add_text, parse_options, parser_for
from core.cli.output.console import can_ask, print_note
from core.common.confined_path import confined_to
from core.common.errors import missing_package
from core.common.excerpts import with_whole_characters
from core.common.paths import installed_version
from core.mcp.folders import existing_folder, output_folder
from core.mcp.manual_compaction import ManualCompactions
from core.mcp.tools import TOOLS, run_tool

if TYPE_CHECKING:
    from mcp.server import Server

ABOUT = (
    "Serve compact, inspect, lint and expand to agents over MCP on standard input and output "
    "(extra mcp)."
)


def command_parser() -> CommandParser:
    parser = parser_for("mcp", ABOUT, json=False)
    about = "the only folder to write results to; without it nothing is written"
    add_text(parser, "--write-to", "FOLDER", about)
    about = (
        "the only folder to read transcripts from; without it a client may name any file that "
        "you can read"
    )
    add_text(parser, "--read-from", "FOLDER", about)
    return parser


def run(arguments: Sequence[str]) -> None:
    """Exit code 0 once the client has gone. Raises InputError where the extra is not installed."""
    options = parse_options(command_parser(), arguments)
    sessions = ManualCompactions(
        folder=output_folder(Path(options.write_to)) if options.write_to else None,
        read_from=(
            confined_to(existing_folder(Path(options.read_from)))
            if options.read_from
            else None
        ),
    )
    try:
        import_module("mcp")
    except ImportError:
        raise missing_package("foldline mcp", "mcp", "mcp") from None
    if can_ask():
        print_note(
            options,
            (
                "An MCP client must start this command; it uses standard input. Press Ctrl C to "
                "end it."
            ),
        )
    run_server(sessions)


NAME = "foldline"
_INSTRUCTIONS = (
    "Foldline shortens conversations of LLM agents and shows what that keeps and loses. inspect says how "
    "large a conversation is, compact shortens it, lint checks the result for an API, expand gives the "
    "result back that a stub stands for."
)


def run_server(sessions: ManualCompactions) -> None:
    import anyio

    from core.mcp.transport import serve

    anyio.run(serve, make_server(sessions))


def make_server(sessions: ManualCompactions) -> Server:
    from mcp import types
    from mcp.server import Server, ServerRequestContext

    async def list_tools(
        context: ServerRequestContext, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        tools = [
            types.Tool(
                name=tool.name,
                description=tool.description,
                input_schema=dict(tool.schema),
                output_schema=dict(tool.output),
                annotations=types.ToolAnnotations(
                    read_only_hint=not tool.writes or sessions.folder is None,
                    destructive_hint=False,  # no file is written over
                    open_world_hint=tool.pays,
                ),
            )
            for tool in TOOLS
        ]
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        result = run_tool(sessions, params.name, params.arguments or {})
        text = with_whole_characters(result.text)
        content = types.TextContent(type="text", text=text)
        if result.is_error:
            structured = None
        else:
            structured = json.loads(text)
        return types.CallToolResult(
            content=[content], structured_content=structured, is_error=result.is_error
        )

    return Server(
        NAME,
        version=installed_version(),
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
