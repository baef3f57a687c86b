"""The bench as a command: its output, its last line, its table in the results."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.benchmarks import __main__ as bench
from tests.benchmarks.table import Claim, row, with_part

MET = Claim("first paint", "11 ms of 10 ms", 1.1, 1.25)
MISSED = Claim("a toggle", "40 ms", 40.0, 16.0, is_absolute=True)
OVER = replace(MISSED, figure=17.0)
EMPTY = "# Large files\n" + "".join(
    f"<!-- bench {name} -->\nNot measured yet.\n<!-- /bench {name} -->\nWords about {name}.\n"
    for name in ("one", "two")
)


@pytest.fixture
def help_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(bench, "machine_factor", lambda: 1.0)
    page = tmp_path / "performance.md"
    page.write_text(EMPTY, encoding="utf-8")
    return page


def giving(*claims: Claim) -> bench.Measure:
    def measure(home: Path) -> Iterator[Claim]:
        assert not list(home.iterdir())
        yield from claims

    return measure


def breaking(home: Path) -> Iterator[Claim]:
    yield MET
    raise RuntimeError("the worker is gone")


def run(pages: dict[str, bench.Measure], help_page: Path, *arguments: str) -> int:
    return bench.main(["--patience", "0", *arguments], pages, help_page)


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        (MET, "| first paint | 11 ms of 10 ms | 1.10 | 1.25 | met |"),
        (MISSED, "| a toggle | 40 ms | 40.00 | 16 | missed |"),
        (
            replace(MISSED, figure=32.0),
            "| a toggle | 40 ms | 32.00 | 16 | over, fails above 32 |",
        ),
        (replace(MISSED, figure=16.0), "| a toggle | 40 ms | 16.00 | 16 | met |"),
        (
            replace(MET, figure=1.26),
            "| first paint | 11 ms of 10 ms | 1.26 | 1.25 | missed |",
        ),
    ],
)
def test_a_claim_says_target_figure_and_verdict(claim: Claim, told: str) -> None:
    assert row(claim) == told


def test_a_slower_machine_has_more_time_and_the_same_ratios() -> None:
    slower = replace(MISSED, figure=32.0)
    assert slower.verdict == "over, fails above 32"
    assert (slower.on_machine(2.0).limit, slower.on_machine(2.0).verdict) == (
        32.0,
        "met",
    )
    assert MET.on_machine(2.0) == MET


@pytest.mark.parametrize(("claims", "code"), [([MET, OVER], 0), ([MET, MISSED], 1)])
def test_the_exit_code_says_whether_all_are_met(
    claims: list[Claim], code: int, help_page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run({"one": giving(*claims)}, help_page) == code
    printed = capsys.readouterr().out
    assert all(row(claim) in printed for claim in claims)
    assert f"{code} missed" in printed
    assert help_page.read_text(encoding="utf-8") == EMPTY


def test_every_page_is_written_with_day_and_machine(help_page: Path) -> None:
    assert run({"one": giving(MET), "two": giving(MISSED)}, help_page, "--write") == 1
    text = help_page.read_text(encoding="utf-8")
    assert row(MET) in text
    assert row(MISSED) in text
    assert text.count(" processors (") == text.count("; load ") == 2
    assert "Not measured yet" not in text


@pytest.mark.parametrize("name", bench.PAGES)
def test_the_results_have_a_place_for_every_page(name: str) -> None:
    assert row(MET) in with_part(
        bench.PAGE.read_text(encoding="utf-8"), name, "today", [row(MET)]
    )
