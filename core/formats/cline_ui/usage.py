"""Reads request size, model and folder from request rows of a Cline display log."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.common.json_value import Json
from core.formats.common.json_access import fields_of, request_tokens, string_of
from core.formats.common.json_parsing import parse_bytes

_CWD = re.compile(r"Current (?:Workspace|Working) Directory \(([^()\n]+)\)")
_MODEL = re.compile(r"<model>([^<\n]+)</model>")


@dataclass(slots=True)
class ClineUsage:
    """Prompt tokens and model of the last request; folder of the first request that names one."""

    tokens: int | None = None
    model: str = ""
    cwd: str = ""


def read_usage(usage: ClineUsage, row: Mapping[str, Json]) -> None:
    """Read an ``api_req_started`` row; an unanswered one has no counts."""
    fields = fields_of(parse_bytes(string_of(row.get("text")).encode("utf-8", "surrogatepass")).value)
    tokens = request_tokens(fields.get("tokensIn"), fields.get("cacheReads"), fields.get("cacheWrites"))
    usage.tokens = usage.tokens if tokens is None else tokens
    request = string_of(fields.get("request"))
    models = _MODEL.findall(request)
    usage.model = string_of(fields_of(row.get("modelInfo")).get("modelId")) or (
        models[-1] if models else usage.model
    )
    folder = None if usage.cwd else _CWD.search(request)
    usage.cwd = folder[1] if folder else usage.cwd
