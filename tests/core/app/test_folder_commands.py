"""A folder in the worker: earlier results, the table, processes that end early."""

import multiprocessing
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.app.services.folder import FolderService
from core.app.workspace import Workspace
from core.common.errors import InputError
from core.common.process_pool import JobFailure, ProcessPool
from core.presentation.compare.model import FolderPage
from core.presentation.compare.pages import folder_page
from core.settings.schema import STRATEGY
from core.strategies.middle_out import STRATEGY as MIDDLE_OUT
from core.strategies.one_shot import STRATEGY as ONE_SHOT
from core.trials.sessions import SessionJob, answer
from tests.core.app.pool_jobs import die_at_one_and_fail_at_two

TWO = (MIDDLE_OUT.name, ONE_SHOT.name)


def make_service() -> FolderService:
    return FolderService(Workspace(lambda event: None, lambda: ""))


def scan(service: FolderService, path: Path) -> FolderPage:
    (found,) = service.scan(str(path), TWO)
    return folder_page(found)


def finish(service: FolderService, *, fresh: bool = False) -> FolderPage:
    *_, last = service.compare(fresh)
    return folder_page(last)


@pytest.fixture
def compared_names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run the jobs in this process, one per step; return the names of their files."""
    names: list[str] = []

    def watched(
        _: ProcessPool, jobs: Sequence[SessionJob], patience: float
    ) -> Iterator[object]:
        for place, job in enumerate(jobs):
            yield None
            names.append(job.file.name)
            yield place, answer(job)

    monkeypatch.setattr(ProcessPool, "run_polling", watched)
    return names


def test_a_folder_is_looked_at_before_anything_is_done(
    folder: Path, compared_names: list[str]
) -> None:
    page = scan(make_service(), folder)
    assert (page.done, page.total, page.names) == (0, 5, TWO)
    assert page.question == "5 files to compare, on all cores. Nothing is sent."
    assert page.is_idle
    assert compared_names == []


def test_earlier_results_are_offered_and_can_be_made_again(
    folder: Path, compared_names: list[str]
) -> None:
    service = make_service()
    scan(service, folder)
    finish(service)
    same = make_service()
    scan(same, folder)
    assert finish(same).status == "5 of 5 files done"  # in no time
    other = Workspace(lambda event: None, lambda: "")
    other.replace_view(
        replace(other.view, layers=other.layers.with_session(STRATEGY, "none"))
    )
    assert (
        scan(FolderService(other), folder).done == 5
    )  # the strategy that is set is none of the compared
    (folder / "a.json").write_text((folder / "b.json").read_text("utf-8") + " ")
    again = make_service()
    page = scan(again, folder)
    assert page.question == "4 of 5 files were done before with these settings."
    assert len(page.means) == 2
    finish(again)
    assert compared_names[5:] == ["a.json"]
    finish(again, fresh=True)
    assert len(compared_names) == 11


def test_what_is_no_folder_or_empty_is_said_in_one_sentence(tmp_path: Path) -> None:
    service = make_service()
    for path, words in (
        (tmp_path / "nowhere", "is not a folder"),
        (tmp_path, "holds no files"),
    ):
        with pytest.raises(InputError, match=words):
            scan(service, path)
    with pytest.raises(InputError, match="No folder was chosen"):
        finish(service)


@pytest.mark.processes
@pytest.mark.parametrize("size", [1, 2])
def test_a_process_that_dies_or_a_job_that_raises_costs_that_job_alone(
    size: int,
) -> None:
    assert dict(ProcessPool(die_at_one_and_fail_at_two, size).run(range(4))) == {
        0: 0,
        1: JobFailure("Its process ended unexpectedly (exit code 7)."),
        2: JobFailure("ValueError: no twos here"),
        3: 3,
    }


@pytest.mark.processes
def test_whoever_stops_early_leaves_no_process_behind() -> None:
    with closing(ProcessPool(abs, 2).run(range(50))) as results:
        next(results)
        assert multiprocessing.active_children()
    assert multiprocessing.active_children() == []


@pytest.mark.processes
def test_a_kept_pool_starts_its_processes_once_and_ends_them_with_its_block() -> None:
    with ProcessPool(abs, 2).kept_open() as pool:
        assert dict(pool.run([-1, 2, -3])) == {0: 1, 1: 2, 2: 3}
        first = {child.pid for child in multiprocessing.active_children()}
        assert dict(pool.run([-4])) == {0: 4}
        assert {child.pid for child in multiprocessing.active_children()} == first
    assert multiprocessing.active_children() == []


def test_the_table_is_written_over_no_source(
    folder: Path, tmp_path: Path, compared_names: list[str]
) -> None:
    service = make_service()
    scan(service, folder)
    finish(service)
    assert service.save_table(str(tmp_path / "out.csv")).text == "Wrote out.csv."
    assert len((tmp_path / "out.csv").read_text("utf-8-sig").splitlines()) == 7
    with pytest.raises(InputError, match=r"a\.json is one of the files"):
        service.save_table(str(folder / "a.json"))
