"""Predicted screens are shown at once, confirmed by the worker, and dropped with what they depend on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.app.messages import (
    ChangeSettingsCommand,
    Command,
    LoadBodyCommand,
    OpenFileCommand,
    ReloadFileCommand,
    RestoreMessageCommand,
    RestoreRunCommand,
    RunCompactionCommand,
    ShowRecordedCommand,
    UndoCommand,
)
from core.app.services.list_commands import (
    CompareRunsCommand,
    FilterRowsCommand,
    NameRunCommand,
    SetPinCommand,
)
from core.app.services.settings_commands import (
    DeleteProfileCommand,
    RunLineCommand,
    SaveSettingsCommand,
    UseProfileCommand,
)
from core.presentation.checked_screen import ScreenChecks
from core.presentation.model import Notice, Screen
from core.presentation.screen_key import ScreenKey
from core.settings.schema import SettingValue
from gui.screen_cache import MAX_BYTES, MAX_SCREENS, PredictedAnswers, screen_bytes
from tests.gui.fakes import fake_screen

KEY = "a.switch"
MADE = {True: fake_screen(), False: fake_screen("high-density")}


def screen(value: SettingValue, rest: str = "same") -> Screen:
    """Return the screen for a value of the switch; those for numbers are alike."""
    return replace(MADE[value is True], request_key=ScreenKey({KEY: value, "other": 1}, rest))


def turn(value: SettingValue | None) -> ChangeSettingsCommand:
    return ChangeSettingsCommand(((KEY, value),))


@pytest.fixture
def answers() -> PredictedAnswers:
    """Both results of the switch are cached; it is off."""
    predictions = PredictedAnswers()
    for serial, value in enumerate((True, False, True, False), 1):
        predictions.predict(serial, turn(value))
        predictions.receive(serial, screen(value))
    return predictions


def test_a_known_answer_is_there_at_once(answers: PredictedAnswers) -> None:
    assert answers.predict(5, turn(True)) == replace(screen(True), can_undo=True)
    assert answers.is_predicted


@pytest.mark.parametrize(
    "command",
    [
        turn(None),
        turn(0.5),
        turn(False),
        ChangeSettingsCommand(((KEY, True),), draft=True),
        ChangeSettingsCommand(((KEY, True),), scope="current"),
    ],
    ids=["taken away", "never seen", "as it is", "draft", "another scope"],
)
def test_what_is_not_known_waits_for_the_worker(
    answers: PredictedAnswers, command: ChangeSettingsCommand
) -> None:
    assert answers.predict(5, command) is None
    assert not answers.is_predicted


def test_a_confirmation_shows_nothing_again(answers: PredictedAnswers) -> None:
    answers.predict(5, turn(True))
    assert answers.receive(5, replace(screen(True), generation=99)) is None
    assert not answers.is_predicted
    assert answers.predict(6, turn(False)) is not None


def test_another_answer_takes_the_place(answers: PredictedAnswers) -> None:
    answers.predict(5, turn(True))
    different = replace(screen(True), after_heading="another")
    assert answers.receive(5, different) is different
    assert answers.finish() is None


def test_an_answer_that_is_too_late_is_not_shown(answers: PredictedAnswers) -> None:
    answers.predict(5, turn(True))
    answers.predict(6, turn(False))
    assert answers.receive(5, screen(True)) is None
    assert answers.receive(6, screen(False)) is None
    assert not answers.is_predicted


def test_without_a_confirmation_the_last_one_that_came_is_shown(answers: PredictedAnswers) -> None:
    answers.predict(5, turn(True))
    assert answers.finish() == screen(False)
    assert answers.finish() is None


def test_a_change_in_between_counts_too(answers: PredictedAnswers) -> None:
    answers.predict(5, ChangeSettingsCommand((("other", 2),)))
    assert answers.predict(6, turn(True)) is None


def test_the_effect_of_another_change_is_left_out() -> None:
    answers = PredictedAnswers()
    for serial, value in enumerate((True, False), 1):
        answers.predict(serial, turn(value))
        answers.receive(serial, screen(value))
    shown = answers.predict(3, turn(True))
    assert shown is not None
    assert shown.effect is None


def test_a_screen_that_is_no_answer_to_settings_is_not_kept(answers: PredictedAnswers) -> None:
    refused = replace(screen(False), request_key=None, notices=(Notice("error", "no limit", ""),))
    answers.predict(5, turn(0.5))
    assert answers.receive(5, refused) is refused
    assert answers.predict(6, turn(True)) is None


CHANGES: tuple[Command, ...] = (
    OpenFileCommand("another"),
    ReloadFileCommand(),
    ChangeSettingsCommand(scope="current"),
    ChangeSettingsCommand(model="gpt-4o"),
    UndoCommand(),
    RestoreRunCommand("1"),
    RunCompactionCommand(),
    RestoreMessageCommand(3),
    ShowRecordedCommand(1),
    SetPinCommand("before", 3, "keep"),
    NameRunCommand("1", "mine"),
    CompareRunsCommand("1", "2"),
    UseProfileCommand("mine"),
    SaveSettingsCommand(()),
    DeleteProfileCommand("mine"),
    RunLineCommand("/set a.switch on"),
)


@pytest.mark.parametrize("command", CHANGES, ids=lambda one: type(one).__name__)
def test_what_screens_depend_on_drops_them(answers: PredictedAnswers, command: Command) -> None:
    answers.predict(5, command)
    answers.receive(5, screen(False))
    assert answers.predict(6, turn(True)) is None


@pytest.mark.parametrize(
    "command", [LoadBodyCommand("before", 3), FilterRowsCommand("tool:bash")], ids=["look", "filter"]
)
def test_what_leaves_them_as_they_are_does_not(answers: PredictedAnswers, command: Command) -> None:
    assert answers.predict(5, command) is None
    assert answers.predict(6, turn(True)) is not None


def test_a_screen_of_something_else_drops_those_before_it(answers: PredictedAnswers) -> None:
    answers.predict(5, turn(True))
    changed = screen(True, rest="the settings file was written")
    assert answers.receive(5, changed) is changed
    assert answers.predict(6, turn(False)) is None


def test_few_are_kept_and_no_heavy_ones(answers: PredictedAnswers) -> None:
    for serial in range(5, 20):
        answers.predict(serial, turn(serial))
        answers.receive(serial, screen(serial))
    assert len(answers.known_screens) == MAX_SCREENS
    heavy = replace(screen(20), after_fates=b"", origin=screen(20).origin * (MAX_BYTES // 400))
    assert screen_bytes(heavy) > MAX_BYTES
    answers.receive(20, heavy)
    answers.receive(21, screen(21))
    assert answers.known_screens == (screen(21),)


def unchecked(value: SettingValue) -> Screen:
    return replace(screen(value), lint=(), status=(), notices=())


def checks(value: SettingValue) -> ScreenChecks:
    complete = screen(value)
    return ScreenChecks(
        complete.generation, complete.groups, complete.lint, complete.status, complete.notices
    )


def test_checks_make_the_screen_whole_that_is_shown_and_kept() -> None:
    predictions = PredictedAnswers()
    predictions.predict(1, turn(True))
    predictions.receive(1, unchecked(True))
    assert predictions.add_checks(checks(True)) == screen(True)
    assert predictions.known_screens == (screen(True),)


def test_checks_of_what_is_not_shown_any_more_show_nothing(answers: PredictedAnswers) -> None:
    answers.predict(5, turn(0.5))
    answers.receive(5, unchecked(0.5))
    assert answers.predict(6, turn(True)) is not None
    assert answers.add_checks(checks(0.5)) is None
    assert answers.is_predicted
    known = answers.predict(7, turn(0.5))
    assert known is not None
    assert known.lint, "they are kept with it all the same"


def test_late_checks_of_another_screen_are_dropped(answers: PredictedAnswers) -> None:
    assert answers.add_checks(replace(checks(True), generation=98)) is None
