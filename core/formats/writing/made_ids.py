"""Ids that an export makes up: the same each time."""

from __future__ import annotations

from uuid import UUID, uuid5


def made_uuid(space: UUID, name: str) -> UUID:
    """The uuid of a name, whatever characters that has."""
    return uuid5(space, name.encode("utf-8", "replace").decode())
