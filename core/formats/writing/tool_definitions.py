"""Converts tool definitions between the shapes of APIs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.common.json_value import Json
from core.formats.writing.base import ExportLosses


def openai_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    found: list[Json] = []
    for tool in tools:
        if isinstance(tool, dict) and isinstance(tool.get("function"), dict):
            found.append(tool)
        elif (parts := _parts(tool)) is not None:
            name, description, schema = parts
            function = {"name": name, "parameters": schema}
            if description:
                function["description"] = description
            found.append({"type": "function", "function": function})
        else:
            losses.leave_out("tool definition")
    return found


def anthropic_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    return [
        {"name": name, **({"description": description} if description else {}), "input_schema": schema}
        for name, description, schema in _known(tools, losses)
    ]


def responses_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    """Return definitions for OpenAI's Responses API; the provider's own tools stay unchanged."""
    found: list[Json] = []
    for tool in _flat(tools):
        own = isinstance(tool, dict) and isinstance(tool.get("type"), str) and "function" not in tool
        if own and (tool["type"] != "function" or "parameters" in tool) and "input_schema" not in tool:
            found.append(tool)
        elif (parts := _parts(tool)) is not None:
            name, description, schema = parts
            described = {"description": description} if description else {}
            found.append({"type": "function", "name": name, **described, "parameters": schema})
        else:
            losses.leave_out("tool definition")
    return found


def codex_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    return [
        {"name": name, "description": description, "inputSchema": schema}
        for name, description, schema in _known(tools, losses)
    ]


def _flat(tools: Sequence[Json]) -> Iterator[Json]:
    for tool in tools:
        inner = tool.get("tools") if isinstance(tool, dict) and tool.get("type") == "namespace" else None
        yield from inner if isinstance(inner, list) else (tool,)


def gemini_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    """Return definitions for Gemini's API: functions in one declaration, its own tools unchanged."""
    functions: list[Json] = []
    others: list[Json] = []
    for tool in tools:
        if (parts := _parts(tool)) is not None:
            name, description, schema = parts
            described = {"description": description} if description else {}
            functions.append({"name": name, **described, "parametersJsonSchema": schema})
        elif isinstance(tool, dict) and "type" not in tool:
            others.append(tool)
        else:
            losses.leave_out("tool definition")
    return [*([{"functionDeclarations": functions}] if functions else []), *others]


def _known(tools: Sequence[Json], losses: ExportLosses) -> Iterator[tuple[str, str, Json]]:
    """Yield name, description and schema of each; unknown shapes are counted as losses."""
    for tool in tools:
        if (parts := _parts(tool)) is not None:
            yield parts
        else:
            losses.leave_out("tool definition")


def _parts(tool: Json) -> tuple[str, str, Json] | None:
    inner = tool.get("function", tool) if isinstance(tool, dict) else None
    if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
        return None
    names = ("input_schema", "parameters", "parametersJsonSchema", "inputSchema")
    schema = next((inner[name] for name in names if isinstance(inner.get(name), dict)), None)
    description = inner.get("description")
    empty = {"type": "object", "properties": {}}
    return inner["name"], description if isinstance(description, str) else "", schema or empty
