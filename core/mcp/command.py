"""``foldline mcp``: Foldline's tools for agents, over the Model Context Protocol on standard input."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from core.cli.arguments import parse_options, parser_for
from core.cli.output.console import can_ask, print_note
from core.common.errors import InputError
from core.common.paths import installed_version
from core.mcp.manual_compaction import ManualCompactions
from core.mcp.tools import TOOLS, run_tool

if TYPE_CHECKING:
    from mcp.server import Server


ABOUT = "Serve compact, inspect and lint to agents over MCP on standard input and output (extra mcp)."


def run(arguments: Sequence[str]) -> int:
    """Return 0 once the client has gone. Raises InputError where the extra is not installed."""
    options = parse_options(parser_for("mcp", ABOUT, json=False), arguments)
    try:
        import_module("mcp")
    except ImportError:
        raise InputError(
            "foldline mcp needs the extra mcp.", "Install it: pip install 'foldline[mcp]'."
        ) from None
    if can_ask():
        print_note(
            options, "An MCP client must start this command; it uses standard input. Press Ctrl C to end it."
        )
    run_server()
    return 0


NAME = "foldline"
_INSTRUCTIONS = (
    "Foldline shortens conversations of LLM agents and shows what that keeps and loses. inspect says how "
    "large a conversation is, compact shortens it, lint checks the result for an API."
)


def run_server() -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    async def run() -> None:
        server = make_server()
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)


def make_server() -> Server:
    from mcp import types
    from mcp.server import Server, ServerRequestContext

    sessions = ManualCompactions()

    async def list_tools(
        context: ServerRequestContext, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        tools = [
            types.Tool(name=tool.name, description=tool.description, input_schema=dict(tool.schema))
            for tool in TOOLS
        ]
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        result = run_tool(sessions, params.name, params.arguments or {})
        content = types.TextContent(type="text", text=result.text)
        return types.CallToolResult(content=[content], is_error=result.is_error)

    return Server(
        NAME,
        version=installed_version(),
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
