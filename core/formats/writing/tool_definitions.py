"""Converts tool definitions between the shapes of APIs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.common.json_value import Json
from core.formats.writing.base import ExportLosses


def openai_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    definitions: list[Json] = []
    for tool in tools:
        if isinstance(tool, dict) and isinstance(tool.get("function"), dict):
            definitions.append(tool)
        elif (parts := _definition_parts(tool)) is not None:
            name, description, schema = parts
            function = {"name": name, "parameters": schema}
            if description:
                function["description"] = description
            definitions.append({"type": "function", "function": function})
        else:
            losses.count_left_out("tool definition")
    return definitions


def anthropic_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    return [
        {"name": name, **({"description": description} if description else {}), "input_schema": schema}
        for name, description, schema in _known_definitions(tools, losses)
    ]


def responses_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    """Return definitions for OpenAI's Responses API; the provider's own tools stay unchanged."""
    definitions: list[Json] = []
    for tool in _without_namespaces(tools):
        is_provider_tool = (
            isinstance(tool, dict) and isinstance(tool.get("type"), str) and "function" not in tool
        )
        if (
            is_provider_tool
            and (tool["type"] != "function" or "parameters" in tool)
            and "input_schema" not in tool
        ):
            definitions.append(tool)
        elif (parts := _definition_parts(tool)) is not None:
            name, description, schema = parts
            described = {"description": description} if description else {}
            definitions.append({"type": "function", "name": name, **described, "parameters": schema})
        else:
            losses.count_left_out("tool definition")
    return definitions


def codex_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    return [
        {"name": name, "description": description, "inputSchema": schema}
        for name, description, schema in _known_definitions(tools, losses)
    ]


def _without_namespaces(tools: Sequence[Json]) -> Iterator[Json]:
    for tool in tools:
        nested_tools = (
            tool.get("tools") if isinstance(tool, dict) and tool.get("type") == "namespace" else None
        )
        yield from nested_tools if isinstance(nested_tools, list) else (tool,)


def gemini_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    """Return definitions for Gemini's API: functions in one declaration, its own tools unchanged."""
    functions: list[Json] = []
    provider_tools: list[Json] = []
    for tool in tools:
        if (parts := _definition_parts(tool)) is not None:
            name, description, schema = parts
            described = {"description": description} if description else {}
            functions.append({"name": name, **described, "parametersJsonSchema": schema})
        elif isinstance(tool, dict) and "type" not in tool:
            provider_tools.append(tool)
        else:
            losses.count_left_out("tool definition")
    return [*([{"functionDeclarations": functions}] if functions else []), *provider_tools]


def _known_definitions(tools: Sequence[Json], losses: ExportLosses) -> Iterator[tuple[str, str, Json]]:
    """Yield name, description and schema of each; unknown shapes are counted as losses."""
    for tool in tools:
        if (parts := _definition_parts(tool)) is not None:
            yield parts
        else:
            losses.count_left_out("tool definition")


def _definition_parts(tool: Json) -> tuple[str, str, Json] | None:
    definition = tool.get("function", tool) if isinstance(tool, dict) else None
    if not isinstance(definition, dict) or not isinstance(definition.get("name"), str):
        return None
    names = ("input_schema", "parameters", "parametersJsonSchema", "inputSchema")
    schema = next((definition[name] for name in names if isinstance(definition.get(name), dict)), None)
    description = definition.get("description")
    empty_schema = {"type": "object", "properties": {}}
    return definition["name"], description if isinstance(description, str) else "", schema or empty_schema
