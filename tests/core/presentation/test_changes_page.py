"""What changed in a message: lines, the message that stands for it, what a summary holds of it."""

from dataclasses import replace

from core.facts.model import Fact, FactKind
from core.losses.evidence import (
    Evidence,
    EvidenceStatus,
    Losses,
    SummaryEvidence,
)
from core.losses.losses_of import losses_of
from core.presentation.changes_page import MAX_LINES, message_changes
from core.preview.options import Preview, StageCache
from core.preview.preview import compute_preview
from core.settings.schema import LIMIT, PRESERVE, STRATEGY
from core.settings_store.layers import SettingLayers
from core.transcript.compaction import Fate, FateKind, FateStep
from core.transcript.model import Message
from tests.support.builders import ai, call, conversation, human


def preview(strategy: str = "middle-out") -> Preview:
    talk = [
        message
        for number in range(20)
        for message in (
            human(
                f"Please look at src/part{number}.py. Never touch the public API of part {number}."
            ),
            ai(f"I looked at src/part{number}.py and it is fine."),
        )
    ]
    layers = SettingLayers(session={STRATEGY: strategy, LIMIT: 20_000, PRESERVE: 0.2})
    return compute_preview(conversation(*talk), layers.resolve())


def losses_with(*items: Evidence) -> Losses:
    return Losses(
        removed_tokens=1,
        removed_messages=1,
        items=items,
        summary=SummaryEvidence(),
        needed=None,
    )


def edited(before: str, after: str) -> Preview:
    shown = preview()
    step = Fate((FateStep("test", FateKind.EDITED, "Shortened."),))
    messages = (human(before), *shown.messages[1:])
    result = (human(after), *shown.result.compaction.messages[1:])
    fates = (step, *shown.result.compaction.fates[1:])
    compaction = replace(shown.result.compaction, messages=result, fates=fates)
    source = replace(
        shown.source, history=replace(shown.source.history, messages=messages)
    )
    return replace(
        shown, source=source, result=replace(shown.result, compaction=compaction)
    )


def summarised(index: int, message: Message) -> Preview:
    """Return a preview in which this message stands at ``index`` and is summarised."""
    shown = preview()
    messages = (*shown.messages[:index], message, *shown.messages[index + 1 :])
    source = replace(
        shown.source, history=replace(shown.source.history, messages=messages)
    )
    fates = list(shown.result.compaction.fates)
    fates[index] = Fate((FateStep("middle", FateKind.SUMMARISED, "In the Middle."),))
    origins = tuple(
        tuple(at for at in own if at != index)
        for own in shown.result.compaction.origins
    )
    compaction = replace(shown.result.compaction, fates=tuple(fates), origins=origins)
    return replace(
        shown, source=source, result=replace(shown.result, compaction=compaction)
    )


def lines(shown: Preview, index: int) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for line in message_changes(shown, index).lines]


def test_a_kept_message_has_no_changes() -> None:
    assert lines(preview(), 0) == []


def test_an_edited_message_shows_what_came_and_what_went() -> None:
    found = lines(edited("one\ntwo\nthree", "one\nthree"), 0)
    assert found == [("same", "one"), ("removed", "two"), ("same", "three")]
    stub = lines(edited("one\ntwo", "[Read a.py: success]"), 0)
    assert stub == [
        ("added", "[Read a.py: success]"),
        ("removed", "one"),
        ("removed", "two"),
    ]


def test_long_texts_say_how_much_is_not_compared() -> None:
    found = lines(edited("\n".join(map(str, range(MAX_LINES + 9))), "x"), 0)
    assert found[-1] == ("note", "and 9 more lines, not compared")
    same = lines(
        edited("\n".join(map(str, range(50))), "\n".join(map(str, range(51)))), 0
    )
    assert ("note", "46 unchanged lines") in same


def test_a_pruned_message_shows_the_one_that_supersedes_it() -> None:
    shown = preview()
    gone = Fate(
        (
            FateStep(
                "read-write", FateKind.PRUNED, "Superseded by the write in #3.", (2,)
            ),
        )
    )
    fates, origins = (
        list(shown.result.compaction.fates),
        list(shown.result.compaction.origins),
    )
    fates[0] = gone
    origins[0] = ()
    compaction = replace(
        shown.result.compaction, fates=tuple(fates), origins=tuple(origins)
    )
    found = lines(
        replace(shown, result=replace(shown.result, compaction=compaction)), 0
    )
    assert found[0] == ("head", "Instead of it: #3")
    assert found[-2] == ("head", "Removed")
    assert found[-1][0] == "removed"


def test_a_summarised_message_shows_what_stands_of_its_names_and_then_its_text() -> (
    None
):
    shown = preview()
    index = next(
        at
        for at, fate in enumerate(shown.result.compaction.fates)
        if fate.kind is FateKind.SUMMARISED
    )
    losses = losses_of(shown, StageCache())
    found = message_changes(shown, index, losses).lines
    assert "that Foldline recognises" in found[0].text
    text = "Its text; what stands in the result is underlined"
    facts = found[1 : next(at for at, line in enumerate(found) if line.text == text)]
    assert {line.kind for line in facts} <= {
        "found",
        "reworded",
        "nearest",
        "gone",
        "note",
    }
    assert any(f"src/part{index // 2}.py" in line.text for line in facts)
    assert found[-1].kind == "same"
    name = f"src/part{index // 2}.py"
    assert found[-1].matches == ((0, len(found[-1].text)),)  # all of it stands there
    assert name in message_changes(shown, index, losses).matched_names


def test_what_is_gone_comes_first_and_names_that_stand_there_together() -> None:
    facts = [
        (FactKind.NAME, "pool.py", EvidenceStatus.WORD_FOR_WORD),
        (
            FactKind.YOUR_MESSAGE,
            "Look at pool.py, then at retry.py. Never push.",
            EvidenceStatus.REWORDED,
        ),
        (FactKind.NAME, "retry.py", EvidenceStatus.WORD_FOR_WORD),
        (FactKind.NAME, "push", EvidenceStatus.GONE),
    ]
    items = tuple(
        Evidence(
            fact=Fact(kind=kind, key=text, text=text, first=2, last=2),
            status=status,
            nearest="Look at pool.py." if status is EvidenceStatus.REWORDED else "",
        )
        for kind, text, status in facts
    )
    shown = summarised(
        2, human("Look at pool.py, then at retry.py. Never push. Not spool.py.")
    )
    losses = losses_with(*items)
    found = message_changes(shown, 2, losses).lines
    assert [(line.kind, line.text) for line in found[1:5]] == [
        ("gone", "push"),
        ("reworded", "Look at pool.py, then at retry.py. Never push."),
        ("nearest", "Look at pool.py."),
        ("found", "pool.py, retry.py"),
    ]
    assert found[0].text.endswith(
        "In the result: 2 word for word, 1 not word for word, 1 gone"
    )
    last = found[-1]
    assert [last.text[start:end] for start, end in last.matches] == [
        "pool.py",
        "retry.py",
    ]


def test_a_gone_path_of_a_call_is_told_though_json_escapes_it() -> None:
    path = r"C:\Users\jo\scratch"
    shown = summarised(2, ai("", call("PowerShell", "p1", command=f"cd {path}")))
    fact = Fact(kind=FactKind.NAME, key=path, text=path, first=2, last=2)
    losses = losses_with(Evidence(fact=fact, status=EvidenceStatus.GONE))
    found = message_changes(shown, 2, losses).lines
    assert ("gone", path) in [(line.kind, line.text) for line in found]


def test_of_many_names_that_stand_there_a_dozen_is_listed() -> None:
    names = [f"name_{number}" for number in range(90)]
    facts = (
        Fact(kind=FactKind.NAME, key=name, text=name, first=2, last=2) for name in names
    )
    items = tuple(
        Evidence(fact=fact, status=EvidenceStatus.WORD_FOR_WORD) for fact in facts
    )
    shown = summarised(2, human(" ".join(names)))
    losses = losses_with(*items)
    changes = message_changes(shown, 2, losses)
    assert changes.lines[0].text.endswith("In the result: 90 word for word")
    assert changes.lines[1].text == f"{', '.join(names[:12])} and 78 more"
    assert (
        len(changes.lines[-1].matches) == 90
    )  # all of them are underlined in the text


def pasted(text: str, *standing: str) -> str:
    """Return what is said of the pasted lines of a message while these lines stand."""
    shown = summarised(2, human(text))
    compaction = shown.result.compaction
    messages = (*compaction.messages, human("\n".join(standing)))
    compaction = replace(compaction, messages=messages)
    shown = replace(shown, result=replace(shown.result, compaction=compaction))
    own = Fact(
        kind=FactKind.YOUR_MESSAGE,
        key="2.0",
        text="Please keep five retries.",
        first=2,
        last=2,
    )
    losses = losses_with(Evidence(fact=own, status=EvidenceStatus.GONE))
    return message_changes(shown, 2, losses).pasted


FILE = (
    '<file path="src/retry.py">\nRETRIES = 5\n\ndef wait():\n    return 4\n}\n</file>'
)
PROSE = "Please keep five retries."


def test_the_lines_of_a_pasted_file_are_counted() -> None:
    words = "3 pasted lines of retry.py"
    assert pasted(f"{PROSE}\n{FILE}") == f"{words}: 0 stand"
    assert pasted(f"{PROSE}\n{FILE}", "  def wait():") == f"{words}: 1 stands"
    assert pasted(f"{PROSE}\n{FILE}", "RETRIES = 5", "return 4") == f"{words}: 2 stand"


def test_pasted_lines_name_no_file_where_others_stand_beside_it() -> None:
    code = "```\nconst a = wait()\n```"
    assert pasted(f"{PROSE}\n{FILE}\n{code}") == "4 pasted lines: 0 stand"
    other = FILE.replace("retry", "pool")
    assert pasted(f"{PROSE}\n{FILE}\n{other}") == "6 pasted lines: 0 stand"


def test_prose_quotations_and_mentions_are_no_pasted_lines() -> None:
    assert pasted(f"{PROSE}\n\n> as you said\n@src/retry.py") == ""
