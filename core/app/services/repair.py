"""Mends a session that a provider refuses, in a copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.formats.writing.export_messages import ExportInput
    from core.lint.common_rules import LintFinding
    from core.lint.repair.mending import Repair, RepairChange
    from core.transcript.model import Conversation
    from core.transcript.scopes import History


@dataclass(frozen=True, slots=True)
class RepairPlan:
    """What a repair for the API ``provider`` changes, what is to be written, and the findings ``before`` and
    ``left`` after it."""

    provider: str
    repair: Repair
    content: ExportInput
    before: tuple[LintFinding, ...]
    left: tuple[LintFinding, ...]

    @property
    def changes(self) -> tuple[RepairChange, ...]:
        return self.repair.changes

    def line_of(self, change: RepairChange) -> int | None:
        """Return the line of the source file that a change is about; None for an added message."""
        messages = self.content.history.messages
        sources = messages[change.index].sources if change.index >= 0 else ()
        return sources[0].line if sources else None


def plan_repair(
    conversation: Conversation, history: History, target: str, *, leaves_out_images: bool = False
) -> RepairPlan:
    """Return what mends a history so that the format ``target`` can be sent. A history in order is written as
    it is; images over a limit go only with ``leaves_out_images``."""
    from core.export.export_sizes import with_sizes
    from core.formats.writing.export_messages import ExportInput
    from core.formats.writing.format_capabilities import CAPABILITIES, ExtraContent
    from core.lint.lint import default_provider, lint_messages
    from core.lint.provider_limits import request_model
    from core.lint.repair.repair import repair_messages

    provider = default_provider(target, conversation.model)
    known = CAPABILITIES.get(target)
    is_request = known is not None and ExtraContent.SYSTEM in known.extra
    model = request_model(conversation)
    repair = repair_messages(
        history.messages, provider, is_request=is_request, model=model, leaves_out_images=leaves_out_images
    )
    content = ExportInput(conversation, history, repair.compaction if repair.changes else None)
    content = with_sizes(content) if repair.changes else content
    before, left = (
        lint_messages(messages, provider, model=model) for messages in (history.messages, content.messages)
    )
    return RepairPlan(provider, repair, content, before, left)
