"""Wording of images, other media and unreadable content."""

from __future__ import annotations

from core.common import number_format
from core.common.excerpts import as_json, one_line_text
from core.transcript.image_tokens import media_size
from core.transcript.model import Media, Opaque


def media_text(media: Media) -> str:
    """Return "image 1,024 × 768" if the size is readable, else the type."""
    measures = media_size(media.data) if media.mime.startswith("image") else None
    if measures:
        return f"image {number_format.count(measures[0])} × {number_format.count(measures[1])}"
    label, caption = one_line_text(media.mime, 60) or "media", one_line_text(media.caption, 80)
    return f"{label} · {caption}" if caption else label


def opaque_text(opaque: Opaque) -> str:
    """Return a description of unreadable content: "encrypted, 41 kB"."""
    hidden = any(word in opaque.kind.lower() for word in ("encrypt", "redact", "compaction"))
    label = "encrypted" if hidden else one_line_text(opaque.kind, 60) or "unknown"
    return f"{label}, {number_format.size(len(as_json(opaque.raw)))}"
