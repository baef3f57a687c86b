"""Packed transcripts: gzip, zst and zip are read in place; a defect is reported in one sentence."""

import gzip
import io
import json
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
import zstandard

from core.common.errors import InputError
from core.formats.common import compressed_files
from core.formats.common.open_document import read_document, read_source
from core.formats.registry import load_conversation, load_with_reason

TALK = [{"role": "user", "content": "Grüße 🎈"}, {"role": "assistant", "content": "ok"}]
LINES = "".join(
    json.dumps({"messages": [turn, *TALK]}) + "\n" for turn in TALK
).encode()
ARRAY = json.dumps(TALK).encode()
PACK = {"gzip": gzip.compress, "zst": zstandard.ZstdCompressor().compress}


def zipped(folder: Path, files: Mapping[str, bytes], name: str = "logs.zip") -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for inner, data in files.items():
            archive.writestr(inner, data)
    return path


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        load_conversation(path)
    assert caught.value.hint
    assert path.name in caught.value.message
    return caught.value.message


@pytest.mark.parametrize("packed", PACK)
@pytest.mark.parametrize("data", [ARRAY, LINES], ids=["array", "lines"])
def test_a_packed_file_reads_as_what_is_in_it(
    tmp_path: Path, packed: str, data: bytes
) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(PACK[packed](data))
    conversation = load_conversation(path)
    assert conversation.document.data is None  # never unpacked as a whole
    assert read_document(conversation.document) == data
    for message in conversation.messages:
        assert (
            json.loads(read_source(conversation.document, message.sources[0])) in TALK
        )


@pytest.mark.parametrize("packed", PACK)
@pytest.mark.parametrize("cut", [4, 12])
def test_a_cut_off_packed_file_is_refused(
    tmp_path: Path, packed: str, cut: int
) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(PACK[packed](LINES * 50)[:-cut])
    assert f"{packed} data that is damaged or cut off" in refused(path)


@pytest.mark.parametrize("packed", PACK)
def test_standard_input_may_be_packed(
    monkeypatch: pytest.MonkeyPatch, packed: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PACK[packed](ARRAY))))
    conversation = load_conversation("-")
    assert (
        json.loads(
            read_source(conversation.document, conversation.messages[1].sources[0])
        )
        == TALK[1]
    )


@pytest.mark.parametrize("packed", PACK)
def test_what_grows_beyond_all_measure_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: str
) -> None:
    monkeypatch.setattr(compressed_files, "RATIO_CHECK_SIZE", 100_000)
    monkeypatch.setattr(compressed_files, "MAX_RATIO", 50)
    path = tmp_path / "t.json"
    path.write_bytes(PACK[packed](b'"' + b"a" * 5_000_000 + b'"'))
    assert "far more than a transcript holds" in refused(path)
    assert "far more than a transcript holds" in refused(
        zipped(tmp_path, {"t.json": b" " * 5_000_000})
    )


def test_one_transcript_in_a_zip_opens_as_that(tmp_path: Path) -> None:
    path = zipped(
        tmp_path,
        {"notes/read me.txt": b"hello", "a/talk.json": ARRAY, "__MACOSX/a": b"x"},
    )
    conversation, reader, why = load_with_reason(path)
    assert (reader.name, len(conversation.messages)) == ("openai_chat", 2)
    assert why.startswith("a/talk.json in the zip: ")
    assert conversation.layout["member"] == "a/talk.json"
    assert conversation.document.name == "logs.zip/a/talk.json"
    (skipped,) = conversation.report.skipped
    assert skipped == ("file in the zip that is not a transcript: notes/read me.txt", 1)
    assert read_document(conversation.document) == ARRAY


def test_a_file_with_many_conversations_adds_them_all(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"b.json": ARRAY, "c.jsonl": LINES, "d.json": ARRAY})
    found = [load_conversation(path, conversation=number) for number in range(1, 5)]
    assert [one.number for one in found[0].listed] == [1, 2, 3, 4]
    assert [one.layout["member"] for one in found] == [
        "b.json",
        "c.jsonl",
        "c.jsonl",
        "d.json",
    ]
    assert [one.title for one in found[0].listed] == [
        "b.json",
        *["c.jsonl: Grüße 🎈"] * 2,
        "d.json",
    ]
    assert [one.messages for one in found[0].listed] == [
        len(one.messages) for one in found
    ]
    assert all(
        one.listed == found[0].listed and not one.report.warnings for one in found
    )
    second = found[2].messages[0]
    assert json.loads(read_source(found[2].document, second.sources[0])) == TALK[1]


def test_a_damaged_file_of_a_zip_is_named(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"a.json": ARRAY, "b.json": ARRAY * 2, "c.json": ARRAY})
    path.write_bytes(
        path.read_bytes().replace(b"b.json", b"b.jsoX", 1)
    )  # its two names differ now
    conversation = load_conversation(path)
    assert conversation.siblings == 2
    assert [note.text for note in conversation.report.warnings] == [
        "b.json in the zip was not read: b.json in logs.zip is damaged"
    ]


def test_a_zip_without_a_transcript_says_why(tmp_path: Path) -> None:
    inner = zipped(tmp_path, {"t.json": ARRAY}, "inner.zip").read_bytes()
    assert "is a zip inside a zip" in refused(zipped(tmp_path, {"inner.zip": inner}))
    assert "no transcript among its 2 files" in refused(
        zipped(tmp_path, {"a": b"x", "b": b"\0"})
    )
    assert "without a file" in refused(zipped(tmp_path, {}))
    path = tmp_path / "inner.zip.gz"
    path.write_bytes(gzip.compress(inner, mtime=0))
    assert "is a zip inside gzip data" in refused(path)


def test_a_locked_zip_says_so(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"t.json": ARRAY})
    data = bytearray(path.read_bytes())
    data[6] |= 1  # the flag of the file itself, then that of the list of contents
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    assert "locked with a password" in refused(path)


def test_a_damaged_zip_is_named_for_what_it_is(tmp_path: Path) -> None:
    data = zipped(tmp_path, {"t.json": ARRAY}).read_bytes()[:-30]
    for name, words in (("t.zip", "a damaged zip"), ("t.eval", "a damaged .eval zip")):
        (tmp_path / name).write_bytes(data)
        assert words in refused(tmp_path / name)


def test_the_name_of_a_file_in_a_zip_cannot_reach_the_terminal(tmp_path: Path) -> None:
    names = ["a\x1b[31m.json", "\u202eb.json", "c" * 5000 + ".json"]
    conversation, _, why = load_with_reason(
        zipped(tmp_path, dict.fromkeys(names, ARRAY))
    )
    assert why.isprintable()
    assert [
        one.title.isprintable() and len(one.title) < 400 for one in conversation.listed
    ] == [True] * 3
