"""What the lines of a Claude Code session report of the size of requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.formats.claude_code.messages import ClaudeMessageBuilder
from core.formats.common.json_access import number_of, sum_of
from core.formats.common.usage_reports import CONTEXT_PARTS
from core.transcript.model import ReportedUsage


def reported_input_tokens(usage: Mapping[str, Json]) -> int | None:
    """The tokens of a request; None where nothing is said of them."""
    return sum_of(*(usage.get(name) for name in CONTEXT_PARTS))


@dataclass(slots=True)
class ClaudeUsageReports:
    """The reports of a session by the row with the first line of their answer. The first line says what the
    request took; later ones repeat it, and the last has the whole of the answer."""

    last: Mapping[str, Json] = field(default_factory=dict)
    _rows: dict[str, int] = field(default_factory=dict)
    _found: dict[int, tuple[int, int | None, str]] = field(default_factory=dict)

    def add(self, row: int, api_id: str, usage: Mapping[str, Json], model: str) -> None:
        """Take the usage of a line; ``api_id`` is that of the answer it belongs to, "" for one by itself."""
        self.last = usage
        row = self._rows.setdefault(api_id, row) if api_id else row
        tokens, output = reported_input_tokens(usage), number_of(usage.get("output_tokens"))
        if tokens:
            known = self._found.get(row)
            self._found[row] = (known[0] if known else tokens, output, model)

    def of(self, talk: ClaudeMessageBuilder) -> tuple[ReportedUsage, ...]:
        """The reports of the requests on a branch, in the order of their answers."""
        placed = ((talk.place(row), report) for row, report in self._found.items())
        return tuple(ReportedUsage(place.start, *report) for place, report in placed if place)
