"""The most useful lines that a result lacks are put back into it."""

import pytest

from core.common.paths import SAMPLES
from core.facts.sentences import block_texts, plain_text
from core.formats.registry import load_conversation
from core.preview.options import Preview, PreviewOptions
from core.preview.preview import compute_preview, lines_to_put_back, with_excerpts
from core.settings_store.layers import SettingLayers
from core.strategies.excerpt_units import HEADING


@pytest.fixture(scope="module")
def made() -> Preview:
    conversation = load_conversation(SAMPLES / "fix-flaky-upload.jsonl")
    return compute_preview(conversation, SettingLayers().resolve(), PreviewOptions())


@pytest.mark.req("EXC-4")
def test_the_lines_stand_behind_the_summary_and_are_counted(made: Preview) -> None:
    offered = lines_to_put_back(made)
    back = with_excerpts(made)
    place = max(made.result.compaction.inserted) + 1
    assert plain_text(back.result.compaction.messages[place]).startswith(HEADING)
    assert len(offered.lines) == 40
    assert back.sizes.after_tokens == made.sizes.after_tokens + offered.tokens


def test_no_message_of_the_source_changes_its_fate(made: Preview) -> None:
    assert with_excerpts(made).result.compaction.fates == made.result.compaction.fates


def test_lines_are_put_back_one_by_one(made: Preview) -> None:
    first, second, *_ = lines_to_put_back(made).lines
    back = with_excerpts(made, (second, first))
    place = max(made.result.compaction.inserted) + 1
    text = plain_text(back.result.compaction.messages[place])
    assert first.text in text
    assert second.text in text
    assert not {first, second} & set(lines_to_put_back(back).lines)
    assert with_excerpts(back, (first,)) is back  # what stands is not put back twice


def test_no_line_is_offered_that_stands(made: Preview) -> None:
    messages = made.result.compaction.messages
    standing = "\n".join(text for message in messages for text in block_texts(message))
    for line in lines_to_put_back(made).lines:
        assert line.text not in standing
        assert line.text.partition(": ")[2] not in standing or not line.text.startswith(
            "to-do: "
        )
