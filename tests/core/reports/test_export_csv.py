"""The CSV table: a row per source message, no formulas, secrets redacted."""

from __future__ import annotations

import csv
import io

import pytest

from core.reports.csv_writer import COLUMNS
from core.transcript.model import Conversation
from tests.builders import ai, conversation, exchange, human, talk
from tests.core.reports.reporting import KEY, report, report_preview


def _rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def _session() -> Conversation:
    return conversation(*talk(20), *exchange("c", "read_file", "line\n" * 40, path="a.py"), *talk(6))


def test_a_row_per_source_message_with_fate_reason_and_destination() -> None:
    preview = report_preview(_session())
    rows = _rows(report(_session(), "csv").data)
    assert tuple(rows[0]) == COLUMNS
    assert [int(row["index"]) for row in rows] == list(range(28))
    assert [int(row["number"]) for row in rows] == list(range(1, 29))
    assert [row["fate"] for row in rows] == [fate.kind.value for fate in preview.compaction.fates]
    assert [int(row["tokens"]) for row in rows] == list(preview.counts)
    assert all(row["reason"].endswith(".") for row in rows)
    summarised = [row for row in rows if row["fate"] == "summarised"]
    assert {row["went_to"] for row in summarised} == {summarised[0]["number"]}
    assert [row["tokens_after"] for row in summarised[1:]] == ["0"] * (len(summarised) - 1)
    assert rows[-1]["went_to"] == str(len(preview.compaction.messages))
    assert (rows[20]["kind"], rows[20]["speaker"]) == ("call", "ai")


def test_it_is_rfc_4180_with_a_byte_order_mark() -> None:
    data = report(conversation(human('say "a, b"\r\nand ü'), *talk(8)), "csv").data
    assert data.startswith(b"\xef\xbb\xbfindex,")
    assert data.endswith(b"\r\n")
    assert b'"say ""a, b"" and \xc3\xbc"' in data


@pytest.mark.parametrize("text", ["=1+2", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0"])
def test_no_cell_is_a_formula(text: str) -> None:
    rows = _rows(report(conversation(human(text), ai(f"\t{text}"), *talk(8)), "csv").data)
    assert rows[0]["text"] == f"'{text}"
    assert all(not value.startswith(("=", "+", "-", "@", "\t")) for row in rows for value in row.values())


@pytest.mark.parametrize("before", range(150, 230, 7))
def test_a_secret_on_the_cut_goes_whole(before: int) -> None:
    talked = conversation(human("x" * before + " " + KEY), *talk(8))
    found = report(talked, "csv")
    assert KEY[:12].encode() not in found.data
    assert found.secrets == (1 if before + 1 < 200 else 0)
