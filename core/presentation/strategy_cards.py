"""Strategies as cards: what each does, and what it would do to this conversation (ui.md section 7)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StrategyCard:
    """A strategy, and its result once it is computed.

    ``program`` is the agent that a preset emulates, "" for a general strategy. ``tokens`` is the size after
    it, ``saved`` the share of the tokens before (0 to 1), ``lost`` the known facts that the result lacks;
    None before they are computed. ``no_result`` says why there is none.
    """

    name: str
    about: str
    program: str
    calls: str  # "no model", "1 summary · free offline"
    tokens: int | None = None
    saved: float = 0.0
    lost: int | None = None
    no_result: str = ""


@dataclass(frozen=True, slots=True)
class StrategyCards:
    """All cards in their order, about a history of ``messages`` and ``tokens``. ``mark`` is that of the
    counts; ``is_capped``: the history is too long to compute figures without being asked."""

    cards: tuple[StrategyCard, ...]
    messages: int
    tokens: int
    mark: str
    as_of: str  # "2026-11-21": the newest preset
    is_capped: bool = False
