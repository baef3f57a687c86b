"""Arguments of edited calls in the form of OpenHands' files."""

from __future__ import annotations

from core.common.json_value import Json
from core.formats.anthropic.blocks import other_fields
from core.formats.common.json_access import fields_of
from core.formats.common.json_parsing import parse_bytes
from core.formats.writing.plain_text import as_text
from core.formats.writing.raw_json import dump_json
from core.transcript.model import ToolCall


def arguments_in_source_form(original: Json, call: ToolCall) -> Json:
    """Return the call's arguments in the source's form; a text with the same value stays unchanged."""
    if not isinstance(original, str):
        return call.arguments
    parsed = parse_bytes(original.encode("utf-8", "replace"))
    is_unchanged = call.arguments == (original if parsed.error else parsed.value)
    return original if is_unchanged else dump_json(call.arguments).decode()


def with_arguments(value: dict[str, Json], call: ToolCall) -> dict[str, Json]:
    """Return an ActionEvent with the call's arguments, in its tool call or else in its action."""
    tool_call = fields_of(value.get("tool_call"))
    function = fields_of(tool_call.get("function"))
    call_fields = function or tool_call
    if "arguments" in call_fields:
        changed = {**call_fields, "arguments": arguments_in_source_form(call_fields["arguments"], call)}
        return {**value, "tool_call": {**tool_call, "function": changed} if function else changed}
    action = value.get("action")
    if not isinstance(action, dict) or call.arguments == dict(other_fields(action, ("kind",))):
        return value
    arguments = call.arguments if isinstance(call.arguments, dict) else {"value": as_text(call.arguments)}
    return {**value, "action": {**arguments, **({"kind": action["kind"]} if "kind" in action else {})}}
