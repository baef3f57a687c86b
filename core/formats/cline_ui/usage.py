"""What the request rows of a Cline display log say: size of the request, model, folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.common.json_value import Json
from core.formats.common.json_access import fields_of, prompt_tokens, string_of
from core.formats.common.json_parsing import parse_bytes

_CWD = re.compile(r"Current (?:Workspace|Working) Directory \(([^()\n]+)\)")
_MODEL = re.compile(r"<model>([^<\n]+)</model>")


@dataclass(slots=True)
class ClineUsage:
    """Of the last request: ``tokens`` that went in, model; the folder of the first that names it."""

    tokens: int | None = None
    model: str = ""
    cwd: str = ""


def remember_usage(usage: ClineUsage, row: Mapping[str, Json]) -> None:
    """Take an ``api_req_started`` row; one that was never answered has no counts."""
    given = fields_of(parse_bytes(string_of(row.get("text")).encode("utf-8", "surrogatepass")).value)
    tokens = prompt_tokens(given.get("tokensIn"), given.get("cacheReads"), given.get("cacheWrites"))
    usage.tokens = usage.tokens if tokens is None else tokens
    request = string_of(given.get("request"))
    named = _MODEL.findall(request)
    usage.model = string_of(fields_of(row.get("modelInfo")).get("modelId")) or (
        named[-1] if named else usage.model
    )
    folder = None if usage.cwd else _CWD.search(request)
    usage.cwd = folder[1] if folder else usage.cwd
