"""Helpers that call a model on the loopback server."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.common.json_value import Json
from core.llm import catalog
from core.llm.catalog import table_rows
from core.llm.client import LLMClient
from core.llm.litellm_adapter import load_litellm
from core.llm.protocol import ModelEvent, SummaryRequest, SummaryResponse
from core.settings.profile import Profile
from core.summarize.model_summariser import LLMSummariser
from core.summarize.summary_request import TRIGGER
from core.transcript.model import Message
from tests.support.builders import ai, exchange, human
from tests.support.loopback import Loopback

KEY = "sk-secret-0123456789"
HISTORY: tuple[Message, ...] = (
    human("Fix the parser."),
    ai("I look at it.", thinking="private thoughts"),
    *exchange("c1", "Read", "def parse(): ...", path="parser.py"),
    ai("Done."),
)


def request(*messages: Message, **fields: Any) -> SummaryRequest:
    messages = messages or HISTORY
    return SummaryRequest(
        prompt="Summarise.",
        messages=messages,
        indices=tuple(range(len(messages))),
        trigger=TRIGGER,
        max_tokens=500,
        **fields,
    )


def profile(
    server: Loopback | None = None, provider: str = "openai", **fields: object
) -> Profile:
    """Return the profile "work" with the model "m", on the given server."""
    base = Profile(
        name="work",
        provider=provider,
        model="m",
        base_url=server.base_url(provider) if server else "",
        timeout=5.0,
    )
    return replace(base, **fields)  # type: ignore[arg-type]


@dataclass
class RecordingCaller:
    profile: Profile
    retries: int = 0
    key: str = KEY
    cancelled: Callable[[], bool] = lambda: False
    events: list[ModelEvent] = field(default_factory=list)

    @property
    def summariser(self) -> LLMSummariser:
        """Return a summariser that records its events and hardly waits between tries."""
        client = LLMClient(
            self.profile,
            self.key,
            retries=self.retries,
            observer=self.events.append,
            cancelled=self.cancelled,
            first_wait=0.01,
        )
        return LLMSummariser(client)

    def summarise(
        self, summary_request: SummaryRequest | None = None
    ) -> SummaryResponse:
        """Return the response; litellm is loaded first, so that no test's time limit includes
        loading."""
        load_litellm()
        return self.summariser.summarise(summary_request or request())

    def events_of(self, kind: type[ModelEvent]) -> list[ModelEvent]:
        return [event for event in self.events if isinstance(event, kind)]


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
