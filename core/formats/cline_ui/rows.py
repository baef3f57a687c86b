"""Reads rows of a Cline display log that show a request, a tool call, a result or text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.common.json_value import Json
from core.formats.common.json_access import fields_of, nested, other_fields, request_tokens, string_of
from core.formats.common.json_parsing import parse_bytes
from core.transcript.model import Media, ToolCall

_CWD = re.compile(r"Current (?:Workspace|Working) Directory \(([^()\n]+)\)")
_MODEL = re.compile(r"<model>([^<\n]+)</model>")
_TOOL, _COMMAND, _MCP, _BROWSER = "tool", "command", "mcp", "browser"

RESULTS: Mapping[str, str] = {
    "command_output": _COMMAND,
    "mcp_server_response": _MCP,
    "codebase_search_result": _TOOL,
    "browser_action_result": _BROWSER,
    "subtask_result": _TOOL,
}
"""Kinds of rows with a result, and the family of the call that they answer."""

ERRORS = ("error", "diff_error", "rooignore_error", "clineignore_error")
"""Kinds of rows with the error of the open call."""

_TOOLS_WITH_RESULT = (
    *("listFilesTopLevel", "listFilesRecursive", "listCodeDefinitionNames"),
    *("searchFiles", "webFetch"),
)
_JSON_TEXT_FIELDS = {
    "followup": "question",
    "plan_mode_respond": "response",
    "plan_mode_response": "response",
}


@dataclass(frozen=True, slots=True)
class ClineCall:
    """A call in a row; ``result`` if the row shows that, too."""

    call: ToolCall
    family: str
    result: str | None = None


def read_call(row: Mapping[str, Json], kind: str, number: str) -> ClineCall | None:
    """Return the call of a row, None for other rows; its id is made from the number of the row."""

    def call(name: str, arguments: Json, extra: Mapping[str, Json] | None = None) -> ToolCall:
        return ToolCall(f"row-{number}", name, arguments, {"$made_id": True, **(extra or {})})

    text = string_of(row.get("text"))
    fields = fields_of(_parse_json(text))
    if kind == "tool" and isinstance(fields.get("tool"), str):
        listing = fields.get("content") if fields["tool"] in _TOOLS_WITH_RESULT else None
        result = listing if isinstance(listing, str) else None
        known_fields = ("tool",) if result is None else ("tool", "content")
        return ClineCall(call(fields["tool"], dict(other_fields(fields, known_fields))), _TOOL, result)
    if kind == "command":
        return ClineCall(call("execute_command", {"command": text}), _COMMAND)
    if kind == "use_mcp_server" and fields:
        name = string_of(fields.get("toolName")) or string_of(fields.get("type")) or "use_mcp_server"
        arguments = fields.get("arguments")
        arguments = _parse_json(arguments) if isinstance(arguments, str) else arguments
        if not isinstance(arguments, dict):
            arguments = dict(other_fields(fields, ("type", "toolName", "serverName")))
        extra = {key: fields[key] for key in ("serverName", "type") if key in fields}
        return ClineCall(call(name, arguments, extra), _MCP)
    if kind in ("browser_action", "browser_action_launch"):
        return ClineCall(call("browser_action", dict(fields) or {"action": "launch", "url": text}), _BROWSER)
    return None


def read_result(row: Mapping[str, Json], kind: str) -> Json:
    text = string_of(row.get("text"))
    if kind != "codebase_search_result":
        return text
    return fields_of(_parse_json(text)).get("content", text)


def row_text(row: Mapping[str, Json], kind: str) -> str:
    """Return the text of a row; questions and plans are inside JSON."""
    text = string_of(row.get("text"))
    inner_text = nested(_parse_json(text), _JSON_TEXT_FIELDS[kind]) if kind in _JSON_TEXT_FIELDS else None
    return inner_text if isinstance(inner_text, str) else text


def user_images(values: Sequence[Json]) -> list[Media]:
    urls = [url for url in values if isinstance(url, str)]
    return [Media(url[5:].split(";", 1)[0] if url.startswith("data:") else "", url) for url in urls]


def _parse_json(text: str) -> Json:
    if text[:1] not in ("{", "["):
        return None
    return parse_bytes(text.encode("utf-8", "surrogatepass")).value


@dataclass(slots=True)
class ClineUsage:
    """Prompt tokens and model of the last request; folder of the first request that names one."""

    tokens: int | None = None
    model: str = ""
    cwd: str = ""

    def read_request(self, row: Mapping[str, Json]) -> None:
        """Read an ``api_req_started`` row; an unanswered one has no counts."""
        fields = fields_of(_parse_json(string_of(row.get("text"))))
        tokens = request_tokens(*map(fields.get, ("tokensIn", "cacheReads", "cacheWrites")))
        self.tokens = self.tokens if tokens is None else tokens
        request = string_of(fields.get("request"))
        models = _MODEL.findall(request)
        self.model = string_of(nested(row, "modelInfo", "modelId")) or (models[-1] if models else self.model)
        if not self.cwd and (folder := _CWD.search(request)):
            self.cwd = folder[1]
