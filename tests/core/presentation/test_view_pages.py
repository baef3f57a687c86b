"""Pages beside the lists: the prompt editor's chain, changes, checks, request; lost facts on the
ruler."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.facts.extract import extract_facts
from core.facts.model import Fact, FactKind
from core.facts.name_patterns import NameKind
from core.llm.pricing import RunCostEstimate
from core.losses.evidence import (
    Evidence,
    EvidenceStatus,
    Losses,
    NowhereName,
    SentenceEvidence,
    SentenceStatus,
    SummaryEvidence,
)
from core.losses.judge import JudgeProgress
from core.losses.judge_questions import Judgement, JudgeQuestion, JudgeVerdict
from core.losses.losses_of import losses_of
from core.losses.needed_later import NeededLater, NeededName
from core.presentation.losses_json import losses_json
from core.presentation.losses_page import losses_page, lost_by_message
from core.presentation.losses_words import fact_note, losses_head, losses_sentences
from core.presentation.prompt_page import PromptPageRequest, prompt_page
from core.presentation.ruler.wording import lost_tip
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview, requests_of
from core.reports.html_page import html_report
from core.reports.report_data import export_input
from core.settings.profile import Profile
from core.settings.prompt_levels import insert_section, prompt_signature, save_override
from core.settings.prompts import PromptLevel, built_in
from core.settings.schema import LIMIT, STRATEGY
from core.settings_store.layers import SettingLayers
from core.strategies.registry import COMPACTION_STRATEGIES
from core.strategies.top_down import NAME as TRUNCATION
from core.transcript.model import Conversation, RecordedCompaction, SourceDocument
from core.trials.requested_analyses import (
    NONE_REQUESTED,
    RequestedAnalyses,
    remember_backtest,
    remember_judged,
    requested_analyses,
)
from core.trials.trial import Backtest
from tests.core.strategies.strategy_running import values
from tests.core.trials.made_compactions import evidence
from tests.support.builders import ai, conversation, exchange, human, talk
from tests.support.sweep_points import point_result

NAME, TOP_DOWN = COMPACTION_STRATEGIES[:2]
CALLED = ("anthropic", "claude-haiku-4-5")


@pytest.fixture
def ask(tmp_path: Path) -> PromptPageRequest:
    return PromptPageRequest(
        name=NAME, provider=CALLED[0], model=CALLED[1], folder=tmp_path
    )


def shown(talked: Conversation, strategy: str = NAME) -> Preview:
    return compute_preview(
        talked, values(context_limit=100_000, compression__strategy=strategy)
    )


def test_without_overrides_the_built_in_text_is_shown(ask: PromptPageRequest) -> None:
    page = prompt_page(ask)
    assert [row.title for row in page.chain] == [
        "This model",
        "This provider",
        "All providers",
        "Built in",
    ]
    assert [row.state for row in page.chain] == ["none", "none", "none", "in use"]
    assert (
        page.level,
        page.content.editable,
        page.notice.text,
        page.changes.title,
    ) == (
        "built in",
        False,
        "",
        "",
    )
    assert page.outline.text == "9 of 9"
    assert page.request.reason == "Open a transcript to see the request."


def test_an_override_is_compared_with_the_level_below(ask: PromptPageRequest) -> None:
    save_override(PromptLevel.BASE, "one\ntwo\n", NAME, *CALLED, ask.folder)
    save_override(PromptLevel.PROVIDER, "one\n2\nthree\n", NAME, *CALLED, ask.folder)
    page = prompt_page(ask)
    assert (page.level, page.changes.title) == (
        "provider",
        "Changes against all providers",
    )
    assert (page.changes.added, page.changes.removed) == ("+2", "−1")
    assert [line.mark + line.number for line in page.changes.rows] == [
        " 1",
        "-",
        "+2",
        "+3",
    ]
    assert [row.state for row in page.chain] == ["none", "in use", "not used", ""]
    assert page.chain[1].location == "providers/anthropic/compression/ · edited"


def test_what_is_to_be_checked_stands_in_one_notice(ask: PromptPageRequest) -> None:
    text = built_in(NAME).text.replace("errors_encountered>", "faults>") + "in {repo}\n"
    page = prompt_page(replace(ask, level=PromptLevel.BASE, text=text))
    assert page.notice.text == "Two things to check."
    assert page.notice.detail == (
        "{repo} is not a placeholder and would be sent as it is. "
        f"Section errors_encountered is missing; {NAME} asks for nine."
    )
    assert page.notice.line == len(text.splitlines())
    assert page.content.edited
    assert [row.name for row in page.outline.sections if not row.present] == [
        "errors_encountered"
    ]
    assert [row.name for row in page.outline.placeholders if not row.is_known] == [
        "repo"
    ]


def test_a_change_outside_is_told(ask: PromptPageRequest) -> None:
    path = save_override(PromptLevel.BASE, "one", NAME, *CALLED, ask.folder)
    watched = replace(ask, file_signature=prompt_signature(path))
    assert prompt_page(watched).content.changed_outside == ""
    path.write_text("two")
    assert (
        prompt_page(watched).content.changed_outside
        == "Another program changed this file."
    )
    path.unlink()
    page = prompt_page(replace(watched, level=PromptLevel.BASE))
    assert page.content.changed_outside == "Another program deleted this file."


@pytest.mark.req("REQ-HD-011.3", "REQ-HD-012.2")
def test_the_request_is_the_one_that_the_strategy_makes(ask: PromptPageRequest) -> None:
    todos = [{"content": "write the test", "status": "in_progress"}]
    talked = conversation(*talk(40), *exchange("t", "TodoWrite", "ok", todos=todos))
    talked = replace(
        talked, document=SourceDocument(name="a.jsonl", path=Path("/logs/a.jsonl"))
    )
    page = prompt_page(replace(ask, text="In {max_tokens}.\n"), shown(talked))
    parts = page.request.parts
    assert (parts[0].role, parts[-1].role, parts[0].title) == (
        "system",
        "user",
        f"1 of {len(parts)}",
    )
    budget = page.request.facts[2].value.removesuffix(" tokens")
    assert parts[0].text.startswith(f"In {budget}.\n")
    for phrase in ("write the test", "in the file a.jsonl. Name that file"):
        assert phrase in parts[-1].text
    assert all("word word" in part.text for part in parts[2:-1])
    assert page.request.facts[0].value == "24 messages, #10–#33"


def test_a_request_speaks_of_the_messages_of_the_source() -> None:
    given = shown(conversation(*talk(20), ai(), *talk(20)))
    (request,) = requests_of(given).requests
    middle = given.result.compaction.origins[min(given.result.compaction.inserted)]
    assert tuple(given.result.inputs[index] for index in request.indices) == middle
    assert request.messages == tuple(given.messages[index] for index in middle)


def test_a_strategy_that_asks_nothing_says_so(ask: PromptPageRequest) -> None:
    request = prompt_page(ask, shown(conversation(*talk(40)), TOP_DOWN)).request
    assert (request.parts, bool(request.reason)) == ((), True)
    few = prompt_page(ask, shown(conversation(*talk(4))))
    assert "needs 4" in few.request.reason


def test_a_missing_section_is_inserted_from_the_page(ask: PromptPageRequest) -> None:
    text = insert_section(
        NAME, "<state_snapshot>\n</state_snapshot>\n", "open_questions"
    )
    page = prompt_page(replace(ask, text=text))
    assert [row.name for row in page.outline.sections if row.present] == [
        "open_questions"
    ]


def gone(kind: FactKind, text: str, message: int) -> Evidence:
    return Evidence(
        fact=Fact(kind=kind, key=text, text=text, first=message, last=message),
        status=EvidenceStatus.GONE,
    )


LOST = Losses(
    removed_tokens=9,
    removed_messages=2,
    items=(
        gone(FactKind.OPEN_ERROR, "TypeError", 2),
        gone(FactKind.INSTRUCTION, "Never push.", 4),
        *(gone(FactKind.FILE_READ, f"lib/{n}.py", 4) for n in range(3)),
        gone(FactKind.NAME, "old_guard", 4),
    ),
    summary=SummaryEvidence(),
)


def test_each_message_says_what_of_it_is_gone_and_counts_the_others() -> None:
    places, words = lost_by_message(LOST)
    assert list(places) == [2, 4]
    assert words[0] == "open error: TypeError"
    worst = [
        "instruction: Never push.",
        "file read: lib/0.py",
        "file read: lib/1.py",
        "and 1 more",
    ]
    assert words[1].splitlines() == worst


RULE_TEXT = "Never touch /repo/lib/legacy.py, whatever it says."
RULE = human(RULE_TEXT)
TALK = (
    RULE,
    *exchange(
        "r", "Read", "def old_guard(): pass " * 300, file_path="/repo/lib/legacy.py"
    ),
    *(ai(f"Part {number} is done. " * 60) for number in range(8)),
)
LATER = (human("go on"), ai("Now `old_guard` in /repo/lib/legacy.py again."))


def made(scope: str = "all") -> Preview:
    cut = RecordedCompaction(kind="summary", boundary=len(TALK))
    session = conversation(*TALK, *LATER, cwd="/repo", recorded=(cut,))
    values = (
        SettingLayers()
        .with_session(STRATEGY, TRUNCATION)
        .with_session(LIMIT, 3_000)
        .resolve()
    )
    return compute_preview(session, values, PreviewOptions(scope=scope))


def losses_of_run(scope: str = "all") -> Losses:
    return losses_of(made(scope), StageCache())


@pytest.mark.req("LOSS-2.5.2")
def test_what_later_turns_needed_is_known_only_where_the_session_goes_on() -> None:
    assert losses_of_run().needed is None
    assert [
        span.link for span in losses_page(made(), losses_of_run()).link if span.link
    ] == ["scope:before:1"]
    found = losses_of_run("before:1")
    assert found.needed is not None
    assert found.needed.used == 2
    rows = losses_page(made("before:1"), found).rows
    assert [row.text for row in rows[: len(found.needed.gone)]] == [
        one.text for one in found.needed.gone
    ]


def count(kind: FactKind, *counts: int) -> list[Evidence]:
    fact = Fact(kind=kind, key="k", text="t", first=0, last=0)
    triples = zip(EvidenceStatus, SentenceStatus, counts, strict=True)
    return [
        Evidence(fact=fact, status=status, sentences=(SentenceEvidence("t", sentence),))
        for status, sentence, times in triples
        for _ in range(times)
    ]


SAID = (
    *count(FactKind.YOUR_MESSAGE, 9, 5, 0),
    *count(FactKind.FILE_CHANGED, 30, 0, 5),
    *count(FactKind.FILE_READ, 1, 0, 4),
    *count(FactKind.OPEN_ERROR, 2, 0, 1),
)
GONE = (
    NeededName("a/b.py", NameKind.PATH, 3, 1),
    NeededName("old_guard", NameKind.IDENTIFIER, 1, 2),
)
MADE_UP = NowhereName(NameKind.URL, "https://x.example/pr/2", "See it.", 0)


@pytest.mark.req("LOSS-2.5.1", "LOSS-2.5.2")
def test_the_sentences_say_what_strings_prove() -> None:
    losses = Losses(
        removed_tokens=38_674,
        removed_messages=212,
        items=SAID,
        summary=SummaryEvidence(9, (MADE_UP,)),
        needed=NeededLater(39, 36, 37, GONE),
    )
    assert losses_sentences(losses) == [
        "38,674 tokens in 212 messages are removed.",
        "Word for word: 9 of your 14 sentences, 31 of 40 files, 2 of 3 open errors.",
        "Not word for word: 5 of your sentences (“t”, “t”, “t”, …).",
        "Gone: 9 files, 1 open error.",
        "In the summary but nowhere in the session: 1 (https://x.example/pr/2).",
        "Later turns used 39 names: 36 are here, 1 by name alone, 2 gone (a/b.py, old_guard).",
        "Whether reworded sentences mean the same is not known.",
    ]
    head = [
        "2 of 39 needed names gone",
        "1 open error gone",
        "1 of 39 needed names by name alone",
        "5 of your messages not word for word",
    ]
    assert losses_head(losses) == (" · ".join(head), "")
    assert losses_head(replace(losses, needed=NeededLater(9, 7, 7, GONE)))[1] == "error"
    assert losses.gone_count == 3
    whole = Losses(
        removed_tokens=9,
        removed_messages=1,
        items=SAID[:9],
        summary=SummaryEvidence(),
        needed=NeededLater(39, 39, 39),
    )
    assert losses_head(whole) == (
        "all 39 needed names and your 9 messages are here",
        "ok",
    )
    assert losses_sentences(whole)[2:] == ["Later turns used 39 names: all are here."]


@pytest.mark.req("LOSS-2.5.5")
def test_before_the_summary_is_written_only_what_stays_is_said() -> None:
    losses = Losses(
        removed_tokens=9,
        removed_messages=1,
        items=SAID,
        summary=SummaryEvidence(),
        needed=None,
        is_written=False,
        summary_profile="haiku",
    )
    assert losses_sentences(losses)[1] == (
        "What stays outside the summary: 9 of your 14 sentences, 31 of 40 files, 2 of 3 open errors; "
        "the rest depends on what haiku writes."
    )
    assert losses_head(losses) == (
        "9 of your 14 messages stay · the rest depends on haiku",
        "",
    )
    page = losses_page(made(), losses)
    assert page.gone is None
    assert {row.status for row in page.rows if row.status != "removed"} == {
        "open",
        "word for word",
    }
    statuses = {item["status"] for item in losses_json(losses, ())["items"]}
    assert statuses == {None, "word for word"}


@pytest.mark.req("LOSS-2.5.4")
def test_the_json_has_every_part() -> None:
    losses = Losses(
        removed_tokens=9,
        removed_messages=1,
        items=(LOST.items[1],),
        summary=SummaryEvidence(9, (MADE_UP,)),
        needed=NeededLater(3, 1, 2, GONE),
    )
    found = losses_json(losses, made().messages)
    assert found["removed"] == {"tokens": 9, "messages": 1}
    assert found["kinds"] == [
        {
            "kind": "instruction",
            "total": 1,
            "word_for_word": 0,
            "reworded": 0,
            "gone": 1,
        }
    ]
    (item,) = found["items"]
    assert (item["kind"], item["text"], item["status"], item["message"]) == (
        *("instruction", "Never push.", "gone"),
        4,
    )
    keys = "kind text status message lines nearest sentences needed"
    assert set(item) == set(keys.split())
    assert found["summary"]["nowhere"][0]["text"] == MADE_UP.text
    assert found["needed_later"]["gone"][0] == {
        "text": "a/b.py",
        "uses": 3,
        "message": 1,
    }
    assert (found["backtest"], found["judged"]) == (None, None)


def backtest_of(*kept: int, **more: str) -> Backtest:
    points = [point_result(300, NeededLater(10, one, one), before=900) for one in kept]
    return Backtest(NAME, tuple(points), 3, **more)


@pytest.mark.req("LOSS-2.5.1", "BACK-5")
@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            backtest_of(4, 10, 7),
            "Backtest: at 3 points of its own past it would have kept 70 % of the 30 names that the next "
            "turns used (95 % interval 40 to 100 %).",
        ),
        (backtest_of(4), "Backtest: 1 of 3 points…"),
        (
            backtest_of(reason="The session has 5 turns."),
            "Backtest: – The session has 5 turns.",
        ),
        (backtest_of(4, error="It needs a limit."), "Backtest: – It needs a limit."),
    ],
)
def test_a_sentence_says_the_backtest(found: Backtest, sentence: str) -> None:
    assert (
        losses_sentences(losses_of_run(), RequestedAnalyses(backtest=found))[-1]
        == sentence
    )


def judged_run(preview: Preview) -> JudgeProgress:
    question = JudgeQuestion("Never push.", "Do push.", "instruction", 4)
    said = (Judgement(question, JudgeVerdict.OPPOSITE, "Do push."),)
    profile = Profile(name="local", provider="openai", model="m")
    return JudgeProgress(
        preview=preview,
        profile=profile,
        questions=(question,),
        price=RunCostEstimate(),
        secrets=0,
        judgements=said,
    )


@pytest.mark.req("LOSS-2.5.1", "LOSS-2.5.4", "BACK-5", "JUDGE-5")
def test_report_and_json_have_what_was_asked_about_a_result() -> None:
    preview, stages = made(), StageCache()
    remember_backtest(preview, backtest_of(4, 10, 7), stages)
    remember_judged(judged_run(preview), stages)
    analyses, losses = requested_analyses(preview, stages), losses_of(preview, stages)
    assert requested_analyses(made("before:1"), stages) == NONE_REQUESTED
    sentences = losses_sentences(losses, analyses)
    assert sentences[-2] == "local (m, unproven) of 1 sentence: 1 opposite."
    html, _ = html_report(
        export_input(preview, result=True, stages=stages), redact=True
    )
    assert sentences[-1] in html
    assert sentences[-2] in html
    found = losses_json(losses, preview.messages, analyses)
    assert found["backtest"] == {"points": 3, "needed": 30, "kept": 21}
    (said,) = found["judged"]["judgements"]
    assert (said["verdict"], said["quote"]) == ("opposite", "Do push.")
    page = losses_page(preview, losses, analyses)
    assert page.sentences == tuple(sentences)
    assert page.told[-2:] == page.sentences[-2:]
    assert page.told == tuple(one for one in page.sentences if one in page.told)
    assert not set(page.told) & set(page.sentences[:2])  # those count


@pytest.mark.req("BACK-5")
def test_a_backtest_is_asked_for_where_nothing_follows_a_run() -> None:
    preview = made()
    losses = losses_of(preview, StageCache())
    assert losses_page(preview, losses).asks_backtest
    assert not losses_page(
        preview, losses, RequestedAnalyses(backtest=backtest_of(1))
    ).asks_backtest
    for other in (
        replace(preview, result=replace(preview.result, result_source="recorded 1")),
        made("before:1"),
    ):
        assert not losses_page(other, losses).asks_backtest


@pytest.mark.req("LOSS-2.5.1")
def test_what_was_said_and_done_is_listed_before_names() -> None:
    kinds = (
        FactKind.NAME,
        FactKind.FILE_READ,
        FactKind.FILE_CHANGED,
        FactKind.YOUR_MESSAGE,
    )
    items = tuple(
        Evidence(
            fact=Fact(kind=kind, key=kind, text=kind, first=0, last=0),
            status=EvidenceStatus.GONE,
        )
        for kind in kinds
    )
    needed = NeededLater(1, 0, 0, (NeededName("port_9", NameKind.IDENTIFIER, 2, 0),))
    losses = replace(losses_of_run(), items=items, needed=needed)
    texts = [row.text for row in losses_page(made(), losses).rows]
    assert texts[:5] == ["your message", "file changed", "port_9", "file read", "name"]


@pytest.mark.req("LOSS-2.6")
def test_the_losses_are_looked_for_among_the_facts_that_the_command_lists() -> None:
    assert [one.fact for one in losses_of_run().items] == list(
        extract_facts(made().messages).all
    )


def test_a_note_says_where_and_how() -> None:
    fact = Fact(kind=FactKind.YOUR_MESSAGE, key="k", text="t", first=88, last=300)
    assert fact_note(Evidence(fact=fact, status=EvidenceStatus.GONE)) == "#89, #301"
    standing = SentenceEvidence("t", SentenceStatus.STANDS, 2)
    near = SentenceEvidence("u", SentenceStatus.NEAREST, 2, "near")
    sentences = (standing, standing, near, standing)
    reworded = Evidence(fact=fact, status=EvidenceStatus.REWORDED, sentences=sentences)
    assert fact_note(reworded) == "#89, #301 · 3 of 4 sentences word for word"
    todo = replace(fact, kind=FactKind.TODO, detail="pending", last=88)
    assert (
        fact_note(Evidence(fact=todo, status=EvidenceStatus.REWORDED))
        == "#89 · not word for word · pending"
    )


def test_the_report_says_the_losses_with_their_messages() -> None:
    html, _ = html_report(export_input(made(), result=True), redact=True)
    assert '<section id="losses">' in html
    assert "Never touch /repo/lib/legacy.py" in html
    for sentence in losses_sentences(losses_of_run()):
        assert sentence in html


def test_the_tip_names_the_message_or_how_many_share_a_mark() -> None:
    places, words = lost_by_message(LOST)
    assert lost_tip(places, words, (2,)) == "Lost in #3\nopen error: TypeError"
    assert lost_tip(places, words, (2, 4)).startswith(
        "Lost in #3 and 1 more message\nopen error:"
    )
    assert lost_tip(places, words, ()) == ""


def test_the_list_has_a_row_for_each_sentence_that_is_not_there() -> None:
    source = (
        human("The upload stalls. Never raise the timeout. Look at pool.py first."),
    )
    items = evidence(source, summary="The upload stalls.\nRaise the timeout.")
    losses = Losses(
        removed_tokens=1, removed_messages=1, items=items, summary=SummaryEvidence()
    )
    rows = [
        row for row in losses_page(made(), losses).rows if row.kind == "your message"
    ]
    assert [(row.text, row.status, row.nearest) for row in rows] == [
        ("Look at pool.py first.", "gone", ""),
        ("Never raise the timeout.", "not word for word", "Raise the timeout."),
    ]
    said = losses_sentences(losses)
    assert "Word for word: 1 of your 3 sentences." in said
    assert "Gone: 1 of your sentences (“Look at pool.py first.”)." in said
    nearest = "Not word for word: 1 of your sentences (“Never raise the timeout.”)."
    assert nearest in said
