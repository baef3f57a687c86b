"""``foldline list formats``: formats that can be read and written."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.arguments import CommandParser, parse_options, parser_for
from core.cli.output.console import print_lines
from core.cli.output.json_output import write_json
from core.cli.output.tables import aligned_table, titled_section
from core.common.errors import InputError, nearest_names
from core.common.json_value import Json
from core.export.export import EXPORTERS, format_names
from core.formats.common.format import Format, ReaderEvidence
from core.formats.registry import FORMATS
from core.formats.writing.exporter import ExportGroup

ABOUT = "The transcript formats that can be read and written."


def command_parser() -> CommandParser:
    parser = parser_for("list formats", ABOUT)
    parser.add_argument(
        "name", metavar="NAME", nargs="?", default="", help="this one alone"
    )
    return parser


def run(arguments: Sequence[str]) -> None:
    options = parse_options(command_parser(), arguments)
    shown = _named_rows(options.name)
    if options.json:
        write_json("formats", {"formats": shown})
        return
    head = ("format", "also", "read", "write", "what it is")
    text: list[str] = []
    for group in ExportGroup:
        rows = [
            _row(format_row) for format_row in shown if format_row["group"] == group
        ]
        if rows:
            text += titled_section(group.value, aligned_table(rows, head=head))
    print_lines(text[1:])


def _is_read_from(reader: Format | None, evidence: ReaderEvidence) -> bool | None:
    """Return whether that is what the reader was tried on; None without a reader."""
    return None if reader is None else reader.evidence is evidence


def _named_rows(name: str) -> list[dict[str, Json]]:
    """Return the format of a name, of all without one; InputError for an unknown name."""
    rows = format_rows()
    if not name:
        return rows
    found = [row for row in rows if name in (row["name"], *row["short_names"])]
    if not found:
        hint = nearest_names(
            name, format_names(), "See all of them with: foldline list formats."
        )
        raise InputError(f'There is no format "{name}".', hint)
    return found


def format_rows() -> list[dict[str, Json]]:
    exporters = {exporter.name: exporter for exporter in EXPORTERS}
    readers = {reader.name: reader for reader in FORMATS}
    rows = []
    for name in dict.fromkeys((*readers, *exporters)):
        reader = readers.get(name)
        exporter = exporters.get(name)
        described = reader or exporters[name]
        rows.append(
            {
                "name": name,
                "label": described.label,
                "about": described.about,
                "read": reader is not None,
                "write": exporter is not None,
                "group": (exporter.group if exporter else ExportGroup.TRANSCRIPT).value,
                "short_names": exporter.short_names if exporter else (),
                "suffix": exporter.suffix if exporter else None,
                "real_file_seen": _is_read_from(reader, ReaderEvidence.REAL_FILE),
                "public_fixture_seen": _is_read_from(reader, ReaderEvidence.FIXTURE),
                "package": described.package or None,
                "read_only": reader.read_only.value
                if reader and exporter is None
                else None,
            }
        )
    return rows


def _row(value: dict[str, Json]) -> tuple[str, ...]:
    is_read, is_written = ("yes" if value[key] else "no" for key in ("read", "write"))
    return (
        value["name"],
        ", ".join(value["short_names"]),
        is_read,
        is_written,
        about_text(value),
    )


def about_text(value: dict[str, Json]) -> str:
    """Return what a format is, the plugin it comes from or what its reader was written from, and
    why there is no writer."""
    if value["package"]:
        return f"{value['about']} From {value['package']}."
    if not value["read"]:
        return str(value["about"])
    seen = "Written from a description."
    if value["real_file_seen"]:
        seen = "Real file seen."
    elif value["public_fixture_seen"]:
        seen = "Public fixture seen."
    if value["read_only"]:
        reason = f" Read only: {value['read_only']}."
    else:
        reason = ""
    return f"{value['about']} {seen}{reason}"
