"""Deterministic ids for exported records."""

from __future__ import annotations

from uuid import UUID, uuid5


def made_uuid(space: UUID, name: str) -> UUID:
    return uuid5(space, name.encode("utf-8", "replace").decode())
