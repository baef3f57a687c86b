"""The environment of a session, and defaults for an agent that gives only a model's name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.llm.catalog import find_model
from core.llm.protocol import ToolModel
from core.settings.prompts import built_in
from core.strategies.base import Strategy
from core.strategies.registry import find_strategy
from core.summarize.summariser_choice import SummariserFactory, summariser_factory
from core.tokens.counter import counter_for
from core.transcript.model import Message, SystemPart
from core.transcript.pins import MessagePin
from core.transcript.todos import active_todos


def default_prompt(name: str) -> str:
    """Return the built-in prompt; InputError if it is missing (REQ-CS-006A.3)."""
    return built_in(name).text


def no_pins(messages: Sequence[Message]) -> Mapping[int, MessagePin]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnvironment:
    """All that a session needs beside settings and messages. ``count``: tokens of a message.
    ``summariser``: by profile name, None for the active one. ``limit``: tokens of the window if no
    setting gives them, None if unknown. ``base``: tokens sent beside the history. ``root``: folder
    of the relative paths in tool calls. ``prompt``: the text of a prompt by name. ``todos``: the
    open ones as lines. ``transcript``: path to mention in summaries. ``variant``: the version of
    the reference that reference mode repeats. ``agent``: the model with tools, by profile name;
    None if there is none."""

    count: Callable[[Message], int]
    summariser: SummariserFactory
    limit: int | None = None
    base: int = 0
    root: str = "/"
    prompt: Callable[[str], str] = default_prompt
    todos: Callable[[Sequence[Message]], str] = active_todos
    transcript: str = ""
    strategy_lookup: Callable[[str], Strategy] = find_strategy
    variant: str = "hd"
    agent: Callable[[str | None], ToolModel] | None = None
    pins: Callable[[Sequence[Message]], Mapping[int, MessagePin]] = no_pins


def environment_for(model: str, system: SystemPart | None = None) -> SessionEnvironment:
    """Return counter and limit of a model, the offline summariser and the current folder."""
    counter = counter_for(model)
    if model:
        info = find_model(model)
    else:
        info = None
    return SessionEnvironment(
        count=counter.message,
        summariser=summariser_factory(None, counter.text),
        limit=None if info is None else info.max_input_tokens,
        base=counter.system(system) if system is not None else 0,
        root=os.getcwd(),
    )
