"""``foldline formats``: formats that can be read and written."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.arguments import add_json, common_options, parser_for
from core.cli.output import json_output
from core.cli.output.console import print_lines
from core.cli.output.table import aligned_table, titled_section
from core.common.json_value import Json
from core.export.export import EXPORTERS
from core.formats.registry import FORMATS
from core.formats.writing.base import ExportGroup

ABOUT = "The transcript formats that can be read and written."


def run(arguments: Sequence[str]) -> int:
    parser = parser_for("formats", ABOUT)
    add_json(parser)
    options = common_options(parser.parse_args(arguments))
    if options.json:
        json_output.write_json("formats", {"formats": format_rows()})
    else:
        head = ("format", "also", "read", "write", "what it is")
        text: list[str] = []
        for group in ExportGroup:
            rows = [_row(format_row) for format_row in format_rows() if format_row["group"] == group.value]
            text += titled_section(group.value, aligned_table(rows, head=head))
        print_lines(text[1:])
    return 0


def format_rows() -> list[dict[str, Json]]:
    """Return every format, those that can be read first."""
    exporters = {exporter.name: exporter for exporter in EXPORTERS}
    readers = {reader.name: reader for reader in FORMATS}
    rows = []
    for name in dict.fromkeys((*readers, *exporters)):
        reader, exporter = readers.get(name), exporters.get(name)
        about = reader.about if reader else exporter.about if exporter else ""
        label = reader.label if reader else exporter.label if exporter else ""
        rows.append(
            {
                "name": name,
                "label": label,
                "about": about,
                "read": reader is not None,
                "write": exporter is not None,
                "group": (exporter.group if exporter else ExportGroup.TRANSCRIPT).value,
                "short_names": list(exporter.short_names) if exporter else [],
                "suffix": exporter.suffix if exporter else None,
                "real_file_seen": reader.real_file_seen if reader else None,
            }
        )
    return rows


def _row(value: dict[str, Json]) -> tuple[str, ...]:
    unseen_note = " No real file seen yet." if value["real_file_seen"] is False else ""
    return (
        value["name"],
        ", ".join(value["short_names"]),
        "yes" if value["read"] else "no",
        "yes" if value["write"] else "no",
        f"{value['about']}{unseen_note}",
    )
