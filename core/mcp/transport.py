"""Standard input and output of the server: every line that is no valid request is answered, too."""

from __future__ import annotations

import json
import os
import re
import sys
from io import TextIOWrapper
from typing import Any, BinaryIO

import anyio
import mcp_types
from mcp import types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from core.common.excerpts import with_whole_characters
from core.common.json_value import Json
from core.common.paths import installed_version
from core.mcp.manual_compaction import ManualCompactions
from core.mcp.tools import TOOLS, run_tool

_HALF = re.compile(
    r"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\[^uU]|\\u(?![dD][89a-fA-F]))"
    r"|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
_ODD_ID = re.compile(r'"id"\s*:\s*(?!["\s]|-?\d+\s*[,}])')
"""An id that is neither text nor a whole number."""
_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600  # codes of JSON-RPC


def with_whole_escapes(line: str) -> str:
    """Return a line of JSON with U+FFFD for each escape of half a character, which the protocol
    refuses."""
    if r"\u" in line:
        return _HALF.sub(lambda match: match[1] or r"\ufffd", line)
    return line


def refusal(line: str) -> Json | None:
    """Return the answer to a line that the protocol cannot read; None for one that it can, or with
    no id."""
    if _ODD_ID.search(line) and _is_odd_request(line):
        cause = "The id of a request is a text or a whole number."
        return _error(None, _INVALID_REQUEST, cause)
    try:
        mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        return None
    except ValueError:
        pass
    number, code, cause = None, _PARSE_ERROR, "The line is not JSON."
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if value is not None:
        if isinstance(value, dict):
            number = value.get("id")
        else:
            number = None
        code, cause = _INVALID_REQUEST, "The line is not a request of JSON-RPC 2.0."
        number = number if isinstance(number, str | int) else None
    return _error(number, code, cause)


def _error(number: str | int | None, code: int, cause: str) -> Json:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": cause}}


def _is_odd_request(line: str) -> bool:
    """Return whether a line is a request whose id the protocol does not allow: it would be taken
    for a notification, which nobody answers."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(value, dict) or "method" not in value or "id" not in value:
        return False
    number = value["id"]
    return isinstance(number, bool) or not isinstance(number, str | int)


class RequestLines:
    """The lines of standard input that the protocol can read; it is told what the others are
    answered."""

    def __init__(self, source: BinaryIO) -> None:

        wrapper = TextIOWrapper(source, encoding="utf-8", errors="replace")
        self._lines = anyio.wrap_file(wrapper)
        self._is_ready = anyio.Event()
        self._outgoing: Any = None

    def answer_to(self, outgoing: Any) -> None:
        self._outgoing = outgoing
        self._is_ready.set()

    def __aiter__(self) -> RequestLines:
        return self

    async def __anext__(self) -> str:

        while line := await self._lines.readline():
            line = with_whole_escapes(line)
            if not line.strip():
                continue
            if (answer := refusal(line)) is None:
                return line
            await self._is_ready.wait()
            await self._outgoing.send(
                SessionMessage(mcp_types.JSONRPCError.model_validate(answer))
            )
        raise StopAsyncIteration


async def serve(server: Server) -> None:
    """Answer requests until the client closes standard input."""

    lines = RequestLines(_own_standard_input())
    source: Any = lines  # all that the protocol does with it is to read line after line
    async with stdio_server(stdin=source) as (incoming, outgoing):
        lines.answer_to(outgoing)
        await server.run(incoming, outgoing, server.create_initialization_options())


def _own_standard_input() -> BinaryIO:
    """Return standard input, where nothing else in this process or below it reads any more."""
    if os.name != "posix":
        return sys.stdin.buffer
    private = os.dup(0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    return os.fdopen(private, "rb")


NAME = "foldline"
_INSTRUCTIONS = (
    "Foldline shortens conversations of LLM agents and shows what that keeps and loses. inspect says how "
    "large a conversation is, compact shortens it, lint checks the result for an API, expand gives the "
    "result back that a stub stands for."
)


def run_server(sessions: ManualCompactions) -> None:
    """Offer the tools to a client until it has gone."""
    anyio.run(serve, make_server(sessions))


def make_server(sessions: ManualCompactions) -> Server:
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
