"""Tool definitions from one API's shape to another's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.common.json_value import Json
from core.formats.writing.base import ExportLosses


def openai_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    """Definitions as OpenAI's chat API takes them; those it cannot hold are left out and counted."""
    found: list[Json] = []
    for tool in tools:
        if isinstance(tool, dict) and isinstance(tool.get("function"), dict):
            found.append(tool)
        elif (parts := _parts(tool)) is not None:
            name, about, schema = parts
            function = {"name": name, "parameters": schema}
            if about:
                function["description"] = about
            found.append({"type": "function", "function": function})
        else:
            losses.leave_out("tool definition")
    return found


def anthropic_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    """Definitions as Anthropic's API takes them; those it cannot hold are left out and counted."""
    return [
        {"name": name, **({"description": about} if about else {}), "input_schema": schema}
        for name, about, schema in _known(tools, losses)
    ]


def responses_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    """Definitions as OpenAI's Responses API takes them; tools of the provider's own stay as they are."""
    found: list[Json] = []
    for tool in _flat(tools):
        own = isinstance(tool, dict) and isinstance(tool.get("type"), str) and "function" not in tool
        if own and (tool["type"] != "function" or "parameters" in tool) and "input_schema" not in tool:
            found.append(tool)
        elif (parts := _parts(tool)) is not None:
            name, about, schema = parts
            described = {"description": about} if about else {}
            found.append({"type": "function", "name": name, **described, "parameters": schema})
        else:
            losses.leave_out("tool definition")
    return found


def codex_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    """Definitions as the first line of a Codex rollout holds them (``dynamic_tools``)."""
    return [
        {"name": name, "description": about, "inputSchema": schema}
        for name, about, schema in _known(tools, losses)
    ]


def _flat(tools: Sequence[Json]) -> Iterator[Json]:
    """The tools, those of a namespace one by one."""
    for tool in tools:
        inner = tool.get("tools") if isinstance(tool, dict) and tool.get("type") == "namespace" else None
        yield from inner if isinstance(inner, list) else (tool,)


def gemini_tools(tools: Sequence[Json], losses: ExportLosses) -> list[Json]:
    """Definitions as Gemini's API takes them: functions in one declaration, its own tools as they are."""
    functions: list[Json] = []
    others: list[Json] = []
    for tool in tools:
        if (parts := _parts(tool)) is not None:
            name, about, schema = parts
            described = {"description": about} if about else {}
            functions.append({"name": name, **described, "parametersJsonSchema": schema})
        elif isinstance(tool, dict) and "type" not in tool:
            others.append(tool)
        else:
            losses.leave_out("tool definition")
    return [*([{"functionDeclarations": functions}] if functions else []), *others]


def _known(tools: Sequence[Json], losses: ExportLosses) -> Iterator[tuple[str, str, Json]]:
    """Name, description and schema of each; what is in no known shape is counted."""
    for tool in tools:
        if (parts := _parts(tool)) is not None:
            yield parts
        else:
            losses.leave_out("tool definition")


def _parts(tool: Json) -> tuple[str, str, Json] | None:
    """Name, description and schema of a definition in any of the known shapes."""
    inner = tool.get("function", tool) if isinstance(tool, dict) else None
    if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
        return None
    names = ("input_schema", "parameters", "parametersJsonSchema", "inputSchema")
    schema = next((inner[name] for name in names if isinstance(inner.get(name), dict)), None)
    about = inner.get("description")
    empty = {"type": "object", "properties": {}}
    return inner["name"], about if isinstance(about, str) else "", schema or empty
