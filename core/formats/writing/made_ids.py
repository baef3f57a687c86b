"""Deterministic ids for exported records."""

from __future__ import annotations

from uuid import UUID, uuid5


def deterministic_uuid(namespace: UUID, name: str) -> UUID:
    return uuid5(namespace, name.encode("utf-8", "replace").decode())
