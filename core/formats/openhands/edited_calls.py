"""The arguments of a call as OpenHands' files hold them, after its message was edited."""

from __future__ import annotations

from core.common.json_value import Json
from core.formats.anthropic.blocks import other_fields
from core.formats.common.json_access import fields_of
from core.formats.common.json_parsing import parse_bytes
from core.formats.writing.plain_text import as_text
from core.formats.writing.raw_json import dump_json
from core.transcript.model import ToolCall


def same_arguments(given: Json, call: ToolCall) -> Json:
    """The call's arguments as the source writes them; a text of the source stays where it says the same."""
    if not isinstance(given, str):
        return call.arguments
    parsed = parse_bytes(given.encode("utf-8", "replace"))
    same = call.arguments == (given if parsed.error else parsed.value)
    return given if same else dump_json(call.arguments).decode()


def with_arguments(value: dict[str, Json], call: ToolCall) -> dict[str, Json]:
    """An ActionEvent with the call's arguments: those of its tool call, else those of its action."""
    asked = fields_of(value.get("tool_call"))
    function = fields_of(asked.get("function"))
    given = function or asked
    if "arguments" in given:
        told = {**given, "arguments": same_arguments(given["arguments"], call)}
        return {**value, "tool_call": {**asked, "function": told} if function else told}
    action = value.get("action")
    if not isinstance(action, dict) or call.arguments == dict(other_fields(action, ("kind",))):
        return value
    arguments = call.arguments if isinstance(call.arguments, dict) else {"value": as_text(call.arguments)}
    return {**value, "action": {**arguments, **({"kind": action["kind"]} if "kind" in action else {})}}
