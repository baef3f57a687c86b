"""The declarations of all settings, from ``settings.toml``; validation, command line, window and docs derive
from them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.settings.keys import STRATEGY
from core.settings.schema import AffectedStage, Setting, SettingKind
from core.strategies.registry import COMPRESSION_STRATEGIES


def _declared_settings() -> Iterator[Setting]:
    tables: dict[str, Any] = tomllib.loads(Path(__file__).with_name("settings.toml").read_text("utf-8"))
    tables[STRATEGY] |= {"default": COMPRESSION_STRATEGIES[0]}
    for key, table in tables.items():
        fields = {"key": key, "default": None} | table  # without a default the setting is optional
        fields |= {"kind": SettingKind(table["kind"]), "affects": AffectedStage(table["affects"])}
        fields |= {name: tuple(table.get(name, ())) for name in ("choices", "aliases")}
        if key == STRATEGY:  # not copied: plugins are only looked up when the own names end
            fields["choices"] = COMPRESSION_STRATEGIES
        yield Setting(**fields)


SETTINGS: tuple[Setting, ...] = tuple(_declared_settings())
