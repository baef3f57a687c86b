"""Tool results as texts and media, from the result formats of all APIs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from core.common.json_value import MISSING, Json
from core.transcript.image_tokens import media_data
from core.transcript.model import Media, Text, ToolResponse
from core.transcript.tool_outcomes import response_content

_TEXTS = ("text", "input_text", "output_text")


def answer_parts(response: ToolResponse) -> tuple[Text | Media, ...]:
    """Return the parts of an answer in order; none if it is empty.

    A list with a text or an image is a list of parts; an unknown part becomes its JSON. Any other JSON is
    one text.
    """
    answer = response_content(response)
    if isinstance(answer, list) and any(_is_known(part) for part in answer):
        return tuple(found for part in answer for found in _parts(part))
    text = "" if answer == [] else json_text(answer)
    return (Text(text),) if text else ()


def answer_text(response: ToolResponse) -> str:
    return "\n".join(part.text for part in answer_parts(response) if isinstance(part, Text))


def json_text(value: Json) -> str:
    """Return a text unchanged, "" for null or MISSING, other JSON compact."""
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _is_known(part: Json) -> bool:
    return _text(part) is not None or media_data(part) is not None


def _parts(part: Json) -> Iterator[Text | Media]:
    text = part if isinstance(part, str) else _text(part)
    if text is not None:
        yield Text(text)
    elif isinstance(links := part.get("image_urls") if isinstance(part, dict) else None, list):
        yield from (Media("", link) for link in links if isinstance(link, str))
    elif data := media_data(part):
        yield Media(_mime(part), data, _caption(part))
    else:
        yield Text(json_text(part))


def _text(part: Json) -> str | None:
    if not isinstance(part, Mapping) or part.get("type") not in _TEXTS:
        return None
    text = part.get("text", part.get("value"))
    return text if isinstance(text, str) else None


def _mime(part: Mapping[str, Json]) -> str:
    inner = next(
        (part[name] for name in ("source", "inlineData", "file") if isinstance(part.get(name), dict)), part
    )
    mime = inner.get("media_type") or inner.get("mimeType") or inner.get("mime_type")
    return mime if isinstance(mime, str) else ""


def _caption(part: Mapping[str, Json]) -> str:
    title = part.get("title") or part.get("filename")
    return title if isinstance(title, str) else ""
