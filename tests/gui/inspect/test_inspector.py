"""The inspector: its tabs, the message with its reasons, long texts, find, the checks."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.presentation.inspector_model import (
    BodyBlock,
    ChangeLine,
    MessageBody,
    MessageChanges,
    SummaryPage,
    TextSpan,
    WhyPage,
    WhySection,
    WhyStep,
)
from core.presentation.model import (
    FATES,
    FaultGroup,
    FaultPage,
    FaultRow,
    LabelledFigure,
    LintReport,
    LintRow,
)
from gui.inspect.inspector.checks_tab import ChecksTab
from gui.inspect.inspector.inspector import Inspector
from gui.inspect.inspector.message_tab import WHY_LINK
from gui.inspect.inspector.text_view import (
    CHUNK_CHARS,
    HEADING_STATE,
    MAX_LINE_CHARS,
    text_chunks,
)
from tests.gui.fake_panel import fake_body, fake_why, fault_page, lint
from tests.gui.window_space import expose
from tests.support.narrowing import known

CHECKED = SummaryPage(
    result_index=-1, verdict="2 of 3 sections are there.", tone="warn", findings=()
)
SMALL = replace(
    fake_body(),
    blocks=(
        BodyBlock(
            kind="text",
            title="",
            text="Find me, and find me again.",
            displayed_length=27,
            total=27,
        ),
    ),
)


@pytest.fixture
def inspector(qtbot: QtBot) -> Inspector:
    result = Inspector()
    result.checks.set_reports(lint(), "openai")
    return expose(qtbot, result, 356, 840)


def shown(inspector: Inspector) -> str:
    return inspector.message.reader.toPlainText()


def text_body(text: str, *, total: int = 0) -> MessageBody:
    block = BodyBlock(
        kind="response",
        title="bash",
        text=text,
        displayed_length=len(text),
        total=total or len(text),
        mono=True,
    )
    return replace(fake_body(), blocks=(block,))


def test_another_message_keeps_a_chosen_tab_and_a_cut_comes_to_the_front(
    inspector: Inspector,
) -> None:
    inspector.show_tab("checks")
    inspector.show_body(SMALL)
    assert inspector.current_tab == "checks"
    inspector.show_why(fake_why(-1))
    assert inspector.current_tab == "message"
    assert inspector.message.details.isVisible()
    assert not inspector.message.reader.isVisible()


def test_fate_and_reason_are_above_the_text(inspector: Inspector, qtbot: QtBot) -> None:
    inspector.show_body(fake_body())
    tab = inspector.message
    assert tab.title.full_text == "#85 pruned · tool"
    assert tab.sentence.text.startswith("Superseded by the write in #251")
    assert not tab.details.isVisible()
    tab.sentence.link_activated.emit(WHY_LINK)
    assert "A later write covers it" in tab.details.toPlainText()
    with qtbot.waitSignal(inspector.link_activated) as followed:
        tab.details.anchorClicked.emit(QUrl("before:83"))
    assert followed.args == ["before:83"]


def test_a_message_is_put_back_and_pinned_by_buttons(
    inspector: Inspector, qtbot: QtBot
) -> None:
    tab = inspector.message
    inspector.show_body(fake_body())
    assert not tab.restore_button.isVisible()
    link = WhySection("In the result", (TextSpan("Put back · +1,621", "put-back:84"),))
    inspector.show_body(replace(fake_body(), why=replace(fake_why(), sections=(link,))))
    with qtbot.waitSignal(inspector.link_activated) as followed:
        tab.restore_button.click()
    assert followed.args == ["put-back:84"]
    with qtbot.waitSignal(tab.pin_requested) as pinned:
        tab.pin_button.menu().actions()[0].trigger()
    assert pinned.args == ["keep"]


def test_blocks_are_headed_by_what_they_are(inspector: Inspector, qtbot: QtBot) -> None:
    blocks = (
        BodyBlock(
            kind="call",
            title="grep · c1",
            name="grep",
            text="{}",
            displayed_length=2,
            total=2,
            mono=True,
        ),
        BodyBlock(
            kind="response",
            title="grep · c1",
            name="grep",
            text="no such file",
            displayed_length=12,
            total=12,
            mono=True,
            error=True,
        ),
        BodyBlock(
            kind="media",
            title="image/png · 41 kB",
            text="",
            displayed_length=0,
            total=0,
        ),
    )
    inspector.show_body(replace(SMALL, blocks=blocks))
    assert shown(inspector) == "grep\n{}\n\ngrep\nno such file"
    inspector.message.views.buttons[2].click()
    qtbot.waitUntil(lambda: not inspector.message.reader.is_filling)
    lines = [line.strip() for line in shown(inspector).split("\n") if line]
    assert lines == [
        "call  grep · c1",
        "{}",
        "response  error  grep · c1",
        "no such file",
        "image/png · 41 kB",
    ]


def test_the_json_is_as_in_the_file_and_can_be_asked_for_whole(
    inspector: Inspector, qtbot: QtBot
) -> None:
    tab = inspector.message
    inspector.show_body(replace(SMALL, raw="{", raw_total=9000))
    assert not tab.full_button.isVisible()
    tab.views.buttons[3].click()
    assert shown(inspector) == "{"
    with qtbot.waitSignal(inspector.message.full_button.clicked):
        tab.full_button.click()
    inspector.show_body(replace(SMALL, raw=""))
    assert shown(inspector) == "Find me, and find me again."


def test_text_is_never_markup(inspector: Inspector) -> None:
    wild = "<b>bold</b> <img src='x'> &amp;"
    inspector.show_body(text_body(wild))
    assert wild in shown(inspector)
    section = WhySection(wild, (TextSpan(wild),), mono=wild)
    inspector.show_why(
        WhyPage(
            wild,
            "",
            0,
            (TextSpan(wild),),
            (WhyStep((TextSpan(wild),), ()),),
            (section,),
        )
    )
    assert inspector.message.sentence.text == wild
    assert inspector.message.details.toPlainText().count(wild) == 4


def test_the_whole_of_a_long_message_can_be_asked_for_and_stays(
    inspector: Inspector, qtbot: QtBot
) -> None:
    capped = text_body("y" * 4_000, total=9_000)
    inspector.show_body(capped)
    button = inspector.message.full_button
    assert button.text() == "Show all 9 kB"
    with qtbot.waitSignal(inspector.message.full_button.clicked):
        button.click()
    inspector.show_body(text_body("y" * 9_000))
    inspector.show_body(capped)
    assert not button.isVisible()


def test_a_megabyte_does_not_block(inspector: Inspector, qtbot: QtBot) -> None:
    inspector.show_body(
        text_body("a line of some length, as tools print them\n" * 24_000)
    )
    assert inspector.message.reader.is_filling
    assert len(shown(inspector)) < 200_000
    qtbot.waitUntil(lambda: not inspector.message.reader.is_filling, timeout=20_000)
    assert len(shown(inspector)) > 1_000_000
    inspector.show_body(text_body("old\n" * 200_000))
    inspector.show_body(SMALL)
    qtbot.wait(20)
    assert shown(inspector) == "Find me, and find me again."


@pytest.mark.parametrize(
    "text", ["", "short\ntext", "x" * 30_000, "ab\n" * 9_000, "y" * 3_999 + "\nz"]
)
def test_pieces_are_the_text_with_long_lines_broken(text: str) -> None:
    parts = list(text_chunks(text))
    assert all(len(part) <= CHUNK_CHARS + 1 for part in parts)
    assert "".join(parts).replace("\n", "") == text.replace("\n", "")
    assert max(map(len, "".join(parts).split("\n"))) <= MAX_LINE_CHARS


def test_what_is_looked_for_is_marked_in_the_message(inspector: Inspector) -> None:
    inspector.show_body(SMALL)
    message = inspector.message
    message.matches.show("find")
    assert len(message.matches.positions) == 2
    assert len(message.reader.extraSelections()) == 2
    assert message.reader.textCursor().position() == message.matches.positions[0]
    message.matches.show("")
    assert message.reader.extraSelections() == []


def test_copy_takes_the_text_and_its_lines_are_wrapped(inspector: Inspector) -> None:
    reader = inspector.message.reader
    inspector.show_body(SMALL)
    inspector.message.copy_button.click()
    assert QApplication.clipboard().text() == "Find me, and find me again."
    assert reader.lineWrapMode() == reader.LineWrapMode.WidgetWidth


def test_only_json_runs_out_of_sight(inspector: Inspector) -> None:
    reader = inspector.message.reader
    inspector.show_body(fake_body())
    inspector.message.views.buttons[3].click()
    assert reader.lineWrapMode() == reader.LineWrapMode.NoWrap
    inspector.message.views.buttons[1].click()
    assert reader.lineWrapMode() == reader.LineWrapMode.WidgetWidth


def test_what_changed_comes_first_but_for_kept_messages(inspector: Inspector) -> None:
    tab, body = inspector.message, fake_body()
    edited = replace(body, side="before", why=replace(body.why, fate=1))
    inspector.show_body(edited)
    assert (tab.views.choice, tab.views.buttons[0].isEnabled()) == (0, True)
    lines = (
        ChangeLine("added", "short"),
        ChangeLine("removed", "a long line"),
        ChangeLine("note", "9 more"),
    )
    inspector.show_changes(MessageChanges(edited.index, lines))
    assert tab.reader.toPlainText() == "+ short\n− a long line\n9 more"
    inspector.show_changes(MessageChanges(edited.index + 1, ()))  # of another message
    assert tab.reader.toPlainText() == "+ short\n− a long line\n9 more"
    inspector.show_body(replace(edited, why=replace(body.why, fate=0)))
    assert (tab.views.choice, tab.views.buttons[0].isEnabled()) == (1, False)
    inspector.show_body(edited)
    assert tab.views.choice == 0


def test_what_a_compaction_wrote_names_its_role_beside_its_source_and_not_as_its_speaker(
    inspector: Inspector,
) -> None:
    body = fake_body()
    why = replace(body.why, fate=len(FATES), title="#22 inserted")
    inspector.show_body(
        replace(body, side="after", speaker="human", raw_title="written here", why=why)
    )
    assert inspector.message.title.full_text == "#22 inserted"
    assert inspector.message.facts.text.endswith("written here as human")


def test_a_hairline_has_an_empty_line_of_its_own(
    inspector: Inspector, qtbot: QtBot
) -> None:
    edited = replace(fake_body(), side="before", why=replace(fake_body().why, fate=1))
    inspector.show_body(edited)
    lines = (
        ChangeLine("head", "3 names"),
        ChangeLine("found", "a, b, c " * 30),
        ChangeLine("head", "Its text"),
    )
    with qtbot.waitSignal(
        inspector.message.reader.filled
    ):  # a long text comes in parts
        inspector.show_changes(MessageChanges(edited.index, lines))
    document = inspector.message.reader.document()
    blocks = [
        document.findBlockByNumber(number) for number in range(document.blockCount())
    ]
    above = [
        block.previous().text()
        for block in blocks[1:]
        if block.userState() == HEADING_STATE
    ]
    assert above == [""]


def test_links_are_followed_by_key_and_mouse(
    inspector: Inspector, qtbot: QtBot
) -> None:
    inspector.show_body(fake_body())
    QApplication.processEvents()
    sentence = inspector.message.sentence
    sentence.setFocus()
    with qtbot.waitSignal(inspector.link_activated) as followed:
        QTest.keyClick(sentence, Qt.Key.Key_Return)
    assert followed.args == ["before:250"]
    place = sentence.rects(0)[0].center().toPoint()
    with qtbot.waitSignal(inspector.link_activated) as followed:
        QTest.mouseClick(
            sentence, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place
        )
    assert followed.args == ["before:250"]


def test_the_number_of_errors_is_in_the_tab(inspector: Inspector) -> None:
    assert inspector.tabs.tabBar().accessibleTabName(2) == "Checks 1"
    assert inspector.tabs.tabToolTip(2) == "1 fault for OpenAI"
    inspector.checks.set_reports((), "openai")  # the result of the findings is gone
    assert inspector.tabs.tabBar().accessibleTabName(2) == "Checks ?"
    assert not inspector.checks.findings.isEnabled()
    assert inspector.checks.verdict.accessibleName() == "not checked yet"
    inspector.checks.set_reports(lint(), "gemini")
    assert inspector.tabs.tabBar().accessibleTabName(2) == "Checks"
    assert (
        inspector.checks.verdict.accessibleName()
        == "Order, ids and content are in order for Gemini, before and after."
    )


def test_checks_begin_without_a_report_and_take_a_later_one(qtbot: QtBot) -> None:
    tab = ChecksTab()
    qtbot.addWidget(tab)
    tab.set_reports((), "openai")  # a large file is shown before it is checked
    tab.set_reports(lint(), "openai")
    assert [button.text() for button in tab.segments.buttons][1] == "OpenAI 1"


@pytest.mark.req("REPAIR-6")
def test_a_broken_source_can_be_repaired_for_the_api_that_is_shown(
    inspector: Inspector, qtbot: QtBot
) -> None:
    checks = inspector.checks
    for side, is_offered in (("after", False), ("before", True)):
        faults = fault_page(
            FaultRow(title="1 result in #3 has no call", side=side, index=2)
        )
        report = LintReport("gemini", "Gemini", (), "1 error", "error", faults=faults)
        checks.set_reports((report,), "gemini")
        assert checks.repair.isVisibleTo(checks) is is_offered
        assert not checks.show_copy.isVisibleTo(checks)  # a repair does not mend it
    with qtbot.waitSignal(checks.repair_requested) as asked:
        checks.repair.click()
    assert asked.args == ["gemini"]


def test_what_a_repair_mends_can_be_shown_in_the_list(
    inspector: Inspector, qtbot: QtBot
) -> None:
    checks = inspector.checks
    row = FaultRow(
        title="1 result in #3 has no call", mend="removes it", side="before", index=2
    )
    report = LintReport(
        "gemini", "Gemini", (), "1 error", "error", faults=fault_page(row)
    )
    checks.set_reports((report,), "gemini")
    with qtbot.waitSignal(checks.copy_requested) as asked:
        checks.show_copy.click()
    assert asked.args == ["gemini"]


def checks_rows(inspector: Inspector) -> list[tuple[str, list[str]]]:
    checks, value = inspector.checks, Qt.ItemDataRole.UserRole + 1
    found = []
    titles = [
        known(tree.topLevelItem(at))
        for tree in (checks.faults, checks.findings)
        for at in range(tree.topLevelItemCount())
    ]
    for title in titles:
        rows = [known(title.child(row)) for row in range(title.childCount())]
        texts = [
            f"{row.text(0).splitlines()[0]} {row.data(0, value) or ''}".strip()
            for row in rows
        ]
        found.append((title.text(0), texts))
    return found


def test_faults_come_first_then_limits_warnings_and_the_summary(
    inspector: Inspector,
) -> None:
    rows = (
        LintRow("warning", "openai.empty-text", "#4 has an empty text.", "before", 3),
    )
    limits = (LabelledFigure("images", "104 → 104 of 100", "error", 1.0),)
    one = FaultRow(title="1 result in #3 has no call", mend="keeps its text", index=2)
    faults = fault_page(one, FaultRow(title="#6 calls a name with a blank", index=5))
    reports = (
        LintReport(
            "openai", "OpenAI", rows, "2 errors", "error", limits=limits, faults=faults
        ),
        LintReport("gemini", "Gemini", (), "in order", "ok"),
    )
    inspector.checks.set_reports(reports, "openai")
    sections = (("goal", True), ("open_questions", False), ("task", True))
    inspector.checks.show_summary(replace(CHECKED, prompt_sections=sections))
    assert checks_rows(inspector) == [
        ("1 result in #3 has no call", []),
        ("#6 calls a name with a blank", []),
        ("Limits of OpenAI", ["images 104 → 104 of 100"]),
        ("Warnings and notes · 1", ["#4 has an empty text."]),
        ("Summary", ["2 of 3 sections are there.", "No section open_questions"]),
    ]
    fault = known(inspector.checks.faults.topLevelItem(0))
    words = fault.data(0, Qt.ItemDataRole.AccessibleTextRole)
    assert words == "error: 1 result in #3 has no call. ✓ Repair keeps its text"


@pytest.mark.req("REPAIR-6")
def test_what_mends_the_faults_stands_below_them_in_sight(qtbot: QtBot) -> None:
    tab = ChecksTab()
    qtbot.addWidget(tab)
    tab.resize(340, 600)
    tab.show()
    for count in (1, 40):
        rows = [
            FaultRow(title="a long title " * 9, mend="m", index=at)
            for at in range(count)
        ]
        rows = [replace(row, side="before") for row in rows]
        report = LintReport("x", "X", (), "", "error", faults=fault_page(*rows))
        tab.set_reports((report,), "x")
        QApplication.processEvents()
        button = tab.repair.mapTo(tab, QPoint())
        assert tab.faults.geometry().bottom() < button.y() < tab.findings.y() < 500
        assert (tab.faults.verticalScrollBar().maximum() > 0) is (count == 40)


def test_each_api_is_a_choice_that_says_its_faults(
    inspector: Inspector, qtbot: QtBot
) -> None:
    tab = inspector.checks
    tab.set_reports(lint(), "anthropic")
    words = [button.text() for button in tab.segments.buttons]
    assert words == ["Anthropic ✓", "OpenAI 1", "Gemini ✓"]
    assert [tab.picker.itemText(at) for at in range(3)] == words
    with qtbot.waitSignal(tab.provider_changed) as chosen:
        tab.segments.buttons[1].click()
    assert chosen.args == ["openai"]
    assert tab.report is not None
    assert tab.report.provider == "openai"


def test_faults_of_many_messages_open_under_one_sentence(inspector: Inspector) -> None:
    rows = tuple(
        FaultRow(title=f"1 call in #{at} has no result", index=at) for at in range(5)
    )
    group = FaultGroup("5 calls in 5 messages have no result", rows)
    faults = FaultPage(count=5, head="The request would be refused", groups=(group,))
    report = LintReport("gemini", "Gemini", (), "", "error", faults=faults)
    inspector.checks.set_reports((report,), "gemini")
    title = known(inspector.checks.faults.topLevelItem(0))
    assert (title.text(0), title.isExpanded()) == (f"{group.title} ›", False)
    inspector.checks.faults.itemActivated.emit(title, 0)
    assert title.isExpanded()


def test_all_warnings_come_on_demand(inspector: Inspector) -> None:
    many = tuple(
        LintRow("warning", "gemini.empty-text", f"#{at}", "after", at)
        for at in range(9)
    )
    tab = inspector.checks
    tab.set_reports((LintReport("gemini", "G", many, "", ""),), "gemini")
    title, texts = checks_rows(inspector)[1]
    assert (title, len(texts), texts[-1]) == (
        "Warnings and notes · 9",
        6,
        "Show 4 more",
    )
    tab.findings.itemActivated.emit(known(tab.findings.topLevelItem(1)).child(5), 0)
    assert len(checks_rows(inspector)[1][1]) == 9


def test_a_fault_leads_to_its_message_and_one_on_the_whole_nowhere(
    inspector: Inspector, qtbot: QtBot
) -> None:
    faults = fault_page(
        FaultRow(title="a", side="after", index=12), FaultRow(title="b")
    )
    report = LintReport("x", "X", (), "2 errors", "error", faults=faults)
    inspector.checks.set_reports((report,), "x")
    tree = inspector.checks.faults
    with qtbot.waitSignal(inspector.checks.activated) as led:
        tree.itemActivated.emit(known(tree.topLevelItem(0)), 0)
    assert led.args == ["after", 12]
    with qtbot.assertNotEmitted(inspector.checks.activated):
        tree.itemActivated.emit(known(tree.topLevelItem(1)), 0)
