"""Remote calls: streaming, interleaving, replacement, cancelling and errors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.app.rpc import Answer, Call, CallRunner, Failed, Returned, Update, call_of, remote, services_by_name
from core.app.worker import notice_of_error
from core.common.errors import Cancelled, InputError
from core.presentation.model import Notice


class NumberService:
    """Methods with every kind of answer."""

    closed = 0

    @remote()
    def double(self, number: int) -> int:
        return 2 * number

    @remote(latest=True, of_file=True)
    def count(self, end: int, *, first: int = 0) -> Iterator[int]:
        try:
            yield from range(first, end)
        finally:
            NumberService.closed += 1

    @remote()
    def refuse(self) -> Iterator[int]:
        yield 1
        raise InputError("No number.", "Give one.")

    @remote()
    def cancelled(self) -> int:
        raise Cancelled

    @remote(page="opened_file.price_per_million")
    def prices(self) -> Iterator[float]:
        yield 2e-6

    def private(self) -> None: ...


class Caller:
    """A runner and the answers that it sent, as (serial, answer)."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, Answer]] = []
        self.runner = CallRunner(
            lambda serial, answer: self.answers.append((serial, answer)), notice_of_error
        )
        self.serial = 0

    def start(self, call: Call) -> None:
        self.serial += 1
        self.runner.start(self.serial, call, services_by_name(NumberService()))

    def finish(self) -> list[tuple[int, Answer]]:
        while self.runner.next_serial is not None:
            self.runner.step()
        return self.answers


@pytest.fixture
def caller() -> Caller:
    return Caller()


def test_calls_that_yield_take_turns(caller: Caller) -> None:
    caller.start(call_of(NumberService.count, 2))
    caller.start(call_of(NumberService.refuse))
    assert caller.finish() == [
        (1, Update(0)), (2, Update(1)), (1, Update(1)),
        (2, Failed(Notice("error", "No number.", "Give one."))), (1, Returned(None)),
    ]  # fmt: skip


def test_a_newer_call_of_a_latest_method_ends_the_older_one(caller: Caller) -> None:
    before = NumberService.closed
    caller.start(call_of(NumberService.count, 9))
    caller.runner.step()
    caller.start(call_of(NumberService.count, 2, first=1))
    assert NumberService.closed == before + 1
    assert caller.finish() == [(1, Update(0)), (1, Failed()), (2, Update(1)), (2, Returned(None))]


def test_a_cancelled_call_has_no_notice(caller: Caller) -> None:
    caller.start(call_of(NumberService.cancelled))
    assert caller.finish() == [(1, Failed())]


@pytest.mark.parametrize("method", ["NumberService.private", "NumberService.__init__", "os.system"])
def test_only_marked_methods_are_called(caller: Caller, method: str) -> None:
    caller.start(Call(method))
    ((_, answer),) = caller.finish()
    assert isinstance(answer, Failed)
    assert answer.notice.severity == "error"


def test_the_window_gets_pages_of_what_others_get_as_values(caller: Caller) -> None:
    caller.start(call_of(NumberService.prices))
    assert caller.finish() == [(1, Update("$2.00")), (1, Returned(None))]
    assert list(NumberService().prices()) == [2e-6]
