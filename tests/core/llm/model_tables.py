"""Model tables for tests, and clearing of the cached table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from core.common.json_value import Json
from core.llm import catalog
from core.llm.model_table import table_rows

MILLIONTH = 1e-6

TIERED: Mapping[str, Json] = {
    "litellm_provider": "anthropic",
    "mode": "chat",
    "max_input_tokens": 1_000_000,
    "input_cost_per_token": 2 * MILLIONTH,
    "output_cost_per_token": 10 * MILLIONTH,
    "cache_read_input_token_cost": 0.2 * MILLIONTH,
    "cache_creation_input_token_cost": 2.5 * MILLIONTH,
    "cache_creation_input_token_cost_above_1hr": 4 * MILLIONTH,
    "input_cost_per_token_above_200k_tokens": 4 * MILLIONTH,
    "output_cost_per_token_above_200k_tokens": 15 * MILLIONTH,
    "cache_read_input_token_cost_above_200k_tokens": 0.4 * MILLIONTH,
    "cache_creation_input_token_cost_above_200k_tokens": 5 * MILLIONTH,
    "cache_creation_input_token_cost_above_1hr_above_200k_tokens": 8 * MILLIONTH,
}
"""A model whose prices rise above 200,000 tokens."""


def forget_table() -> None:
    table_rows.cache_clear()
    catalog._names_by_key.cache_clear()


def write_table(path: Path, rows: Mapping[str, Json]) -> Path:
    path.write_text(json.dumps(rows), "utf-8")
    return path
