"""Inspect logs: samples of zips and JSON, attachments, compactions, incomplete logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.formats.registry import load_conversation
from tests.core.formats.research import chat, sample, zipped

HEADER = {"version": 2, "status": "success", "eval": {"model": "m"}, "plan": {}}
TALK = [chat("system", "Be brief."), chat("user", "Hi."), chat("assistant", "Hello.")]


def _log(folder: Path, *samples: Any) -> Path:
    files = {f"samples/{one['id']}_epoch_{one['epoch']}.json": one for one in samples}
    return zipped(folder, {"_journal/start.json": HEADER, **files, "header.json": HEADER})


def test_samples_come_by_epoch_and_id(tmp_path: Path) -> None:
    order = [(10, 1), (2, 2), (2, 1), (1, 1), ("a/b", 1)]
    path = _log(tmp_path, *(sample(id_, epoch, TALK) for id_, epoch in order))
    conversation = load_conversation(path, conversation=2)
    titles = [one.title for one in conversation.listed]
    assert titles == [
        "a/b, epoch 1",
        *(f"sample {one}" for one in ("1, epoch 1", "2, epoch 1", "10, epoch 1", "2, epoch 2")),
    ]
    assert {one.kind for one in conversation.listed} == {"sample"}
    assert (conversation.title, conversation.number, conversation.siblings) == ("sample 1, epoch 1", 2, 5)
    assert conversation.layout["member"] == "samples/1_epoch_1.json"
    assert conversation.document.name == "log.eval/samples/1_epoch_1.json"
    with pytest.raises(InputError, match="5 conversations, not 6"):
        load_conversation(path, conversation=6)


def test_a_log_that_lacks_samples_warns(tmp_path: Path) -> None:
    header = {**HEADER, "results": {"completed_samples": 3}}
    conversation = load_conversation(
        zipped(tmp_path, {"header.json": header, "samples/1_epoch_1.json": sample(1, 1, TALK)})
    )
    assert [note.text for note in conversation.report.warnings] == [
        "the log counts 3 samples that ended, but holds 1"
    ]
    assert conversation.model == "m"
