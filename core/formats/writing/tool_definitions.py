"""Converts tool definitions between the shapes of APIs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.common.json_value import Json
from core.formats.common.json_access import string_of
from core.formats.writing.base import ExportLosses

_SCHEMA_NAMES = ("input_schema", "parameters", "parametersJsonSchema", "inputSchema")
_EMPTY_SCHEMA = {"type": "object", "properties": {}}


def openai_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    return _converted(
        tools,
        losses,
        lambda named, schema: {
            "type": "function",
            "function": {"name": named.pop("name"), "parameters": schema, **named},
        },
        is_own=lambda tool: isinstance(tool.get("function"), dict),
    )


def anthropic_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    return _converted(tools, losses, lambda named, schema: {**named, "input_schema": schema})


def responses_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    """Return definitions for OpenAI's Responses API; the provider's own tools stay unchanged."""

    def is_own(tool: dict[str, Json]) -> bool:
        has_type = isinstance(tool.get("type"), str) and "function" not in tool
        return (
            has_type and (tool["type"] != "function" or "parameters" in tool) and "input_schema" not in tool
        )

    plain_tools: list[Json] = []
    for tool in tools:
        is_namespace = isinstance(tool, dict) and tool.get("type") == "namespace"
        members = tool.get("tools") if is_namespace else None
        plain_tools += members if isinstance(members, list) else [tool]
    return _converted(
        plain_tools,
        losses,
        lambda named, schema: {"type": "function", **named, "parameters": schema},
        is_own=is_own,
    )


def codex_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    return _converted(
        tools, losses, lambda named, schema: {"name": "", "description": "", **named, "inputSchema": schema}
    )


def gemini_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    """Return definitions for Gemini's API: functions in one declaration, its own tools unchanged."""
    own_tools = [
        tool for tool in tools if isinstance(tool, dict) and "type" not in tool and _definition(tool) is None
    ]
    others = [tool for tool in tools if not any(tool is own_tool for own_tool in own_tools)]
    functions = _converted(others, losses, lambda named, schema: {**named, "parametersJsonSchema": schema})
    return [*([{"functionDeclarations": functions}] if functions else []), *own_tools]


def _converted(
    tools: Sequence[Json],
    losses: ExportLosses,
    convert: Callable[[dict[str, Json], Json], Json],
    is_own: Callable[[dict[str, Json]], bool] = lambda tool: False,
) -> list[Json]:
    """Return definitions made of name, description (if there is one) and schema; those of the target's own
    shape stay, and unknown shapes are counted as losses."""
    definitions: list[Json] = []
    for tool in tools:
        if isinstance(tool, dict) and is_own(tool):
            definitions.append(tool)
        elif (definition := _definition(tool)) is not None:
            schemas = (definition[name] for name in _SCHEMA_NAMES if isinstance(definition.get(name), dict))
            description = string_of(definition.get("description"))
            named = {"name": definition["name"], **({"description": description} if description else {})}
            definitions.append(convert(named, next(schemas, None) or dict(_EMPTY_SCHEMA)))
        else:
            losses.count_left_out("tool definition")
    return definitions


def _definition(tool: Json) -> dict[str, Json] | None:
    """Return the object with the name of a tool; None for an unknown shape."""
    definition = tool.get("function", tool) if isinstance(tool, dict) else None
    return definition if isinstance(definition, dict) and isinstance(definition.get("name"), str) else None
