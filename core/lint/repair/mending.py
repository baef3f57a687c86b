"""A history while the rules of the repair change it, and what they say of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from core.common import number_format
from core.lint.common_rules import UNKNOWN_MODEL, LintedHistory, LintProvider, RequestModel
from core.lint.request_records import RequestRecords
from core.strategies.draft import DraftEntry
from core.transcript.compaction import Compaction
from core.transcript.model import Block, LostParent, Speaker, tool_responses, with_blocks

JOINING = ("anthropic", "gemini")
"""Providers that take neighbouring messages of one side as one."""


@dataclass(frozen=True, slots=True)
class RepairRule:
    """A fault that a provider refuses and what mends it; ``source`` is where the demand comes
    from."""

    name: str
    fault: str
    mend: str
    source: str
    apply: Callable[[Mending], None]


@dataclass(frozen=True, slots=True)
class RepairChange:
    """``index`` is a message of the source, -1 for one that was added; ``reason`` is a sentence."""

    rule: str
    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class Repair:
    """The mended history as a result with fates, and what was changed, in the order of the
    messages."""

    compaction: Compaction
    changes: tuple[RepairChange, ...] = ()


@dataclass(slots=True, kw_only=True)
class Mending:
    """A history while rules change it. ``is_request``: it is written as a request, not as the
    session of an agent, which holds rows that are never sent. ``model``: the one that it goes to.
    ``leaves_out_images``: the oldest images over a limit of the provider go. ``lost_parents`` are
    those of the file. ``records``: what is written of each message, for its schema. ``is_sent``: the
    messages go to the provider as they are; the agent or the export of another format puts ids,
    names and inputs right by itself. ``damage``: records of the file that are mended, and lines
    that are left out."""

    provider: LintProvider
    entries: list[DraftEntry]
    is_request: bool
    model: RequestModel = UNKNOWN_MODEL
    leaves_out_images: bool = False
    lost_parents: Sequence[LostParent] = ()
    records: RequestRecords | None = None
    is_sent: bool = True
    damage: tuple[int, int] = (0, 0)
    changes: list[RepairChange] = field(default_factory=list)

    def say(self, rule: str, entry: DraftEntry, reason: str) -> None:
        index = entry.origins[0] if entry.origins else -1
        self.changes.append(
            RepairChange(
                rule,
                index,
                f"{number_format.message_number(index)} {reason}" if entry.origins else reason,
            )
        )

    def set_blocks(self, index: int, blocks: Iterable[Block]) -> None:
        """Replace the blocks of a message; the same blocks leave it the same object."""
        entry, new = self.entries[index], tuple(blocks)
        if len(new) != len(entry.message.blocks) or any(map(differs, new, entry.message.blocks)):
            self.entries[index] = replace(entry, message=with_blocks(entry.message, new))

    def remove_hollow(self, before: Sequence[DraftEntry]) -> None:
        """Remove the messages that have lost all their blocks since ``before``."""
        had_blocks = {entry.origins for entry in before if entry.message.blocks and entry.origins}
        self.entries[:] = [
            entry
            for entry in self.entries
            if entry.message.blocks or entry.origins not in had_blocks
        ]

    @property
    def joins_turns(self) -> bool:
        """Whether the provider takes neighbouring messages of one side as one."""
        return self.provider.name in JOINING

    def turns(self) -> list[tuple[bool, list[int]]]:
        """Return the indices of neighbouring messages of the model (true) or of all others, as the
        provider joins them; OpenAI joins nothing of the model."""
        history = LintedHistory(self.provider, [entry.message for entry in self.entries], ())
        return [
            (by_model, part)
            for by_model, indices in history.turns
            for part in (
                [[index] for index in indices] if by_model and not self.joins_turns else [indices]
            )
        ]

    def is_open_end(self, turn: Sequence[int], leaving: Collection[int] = ()) -> bool:
        """Return whether only results follow a turn of the model, so that its open calls may still
        be answered; ``leaving`` are the indices of messages that will be none."""
        later = range(turn[-1] + 1, len(self.entries))
        return all(self._is_only_result(index) and index not in leaving for index in later)

    def _is_only_result(self, index: int) -> bool:
        message = self.entries[index].message
        if self.joins_turns and not any(map(self.provider.is_written, message.blocks)):
            return True
        return message.speaker is Speaker.TOOL and any(tool_responses(message))


def differs(new: Block, old: Block) -> bool:
    return new is not old
