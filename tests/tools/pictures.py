"""Takes the pictures of ``make pictures``: every view, light and dark, two sizes.

Those that README and help show are written to ``resources/pictures`` and committed; all others to
``pictures/``, which is not.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path

from core.common.paths import RESOURCES, ROOT, bundled_samples
from core.settings.schema import LIMIT, RECENCY
from core.strategies.registry import COMPACTION_STRATEGIES, STRATEGIES
from tests.support import chromium, forked_session
from tests.support.picture_home import write_sessions

SHOWN = RESOURCES / "pictures"
OTHERS = ROOT / "pictures"
CORPUS = ROOT.parent / "shared" / "corpus"
REAL = (
    "claude_code/36_entire-cli.jsonl",
    "openai_chat/12_nilenso-completions.json",
    "anthropic_messages/08_roo-natural-mini-uncondensed.json",
)
OF_SOURCE = ("conversations", "branches", "import-report", "recorded")
"""Views of a session that forks, was compacted by its agent and has sub-agents."""
THEMES = ("light", "dark", "high-contrast")
SIZES = ("1280x800", "1920x1080")
PRESET = next(
    one.name for one in STRATEGIES if one.emulates is not None and one.requires_llm
)
DENSE = next(strategy.name for strategy in STRATEGIES if strategy.optimize is not None)


@dataclass(frozen=True, slots=True)
class Picture:
    output: Path
    path: Path | None
    options: tuple[str, ...]


_MIDDLE, _SMALL = "--size 1280x800", "--size 1200x740"
OF_SAMPLE = {
    "main-light": f"--theme light {_MIDDLE}",
    "main-dark": f"--theme dark -s {DENSE} --tab why --select 46 {_SMALL}",
    "strategies": f"--view strategies {_SMALL}",
    "recorded": f"--view recorded {_SMALL}",
    "high-contrast": f"--theme high-contrast --tab why --select 60 {_SMALL}",
}
"""Pictures of README and help that show the first sample, with their options."""


def shown() -> Iterator[Picture]:
    sample = bundled_samples()[0].path
    for name, options in OF_SAMPLE.items():
        yield Picture(SHOWN / f"{name}.png", sample, tuple(options.split()))
    yield Picture(SHOWN / "sessions.png", None, ("--view", "sessions", *_SMALL.split()))
    yield from inspect_pictures(sample, SHOWN, ("--theme", "light", *_SMALL.split()))
    with tempfile.TemporaryDirectory() as folder:
        forked = forked_session.write(Path(folder))
        for name in ("branches", "import-report"):
            yield Picture(
                SHOWN / f"{name}.png", forked, ("--view", name, *_SMALL.split())
            )


def inspect_pictures(
    path: Path, folder: Path, look: tuple[str, ...], end: str = ""
) -> Iterator[Picture]:
    small = ("--set", f"{LIMIT}=60000", *look)
    for view in ("compare", "replay", "sweep"):
        yield Picture(folder / f"{view}{end}.png", path, ("--view", view, *small))
    yield Picture(folder / f"losses{end}.png", path, ("--tab", "losses", *small))


def others() -> Iterator[Picture]:
    from gui.screenshot_command import VIEWS

    sample, forked = bundled_samples()[0].path, forked_session.write(OTHERS / "source")
    for name in REAL:
        for theme in THEMES[:2] if (CORPUS / name).exists() else ():
            look, end = (
                ("--theme", theme, "--size", SIZES[0]),
                "" if theme == "light" else f"-{theme}",
            )
            yield from inspect_pictures(
                CORPUS / name, OTHERS / Path(name).stem, look, end
            )
    for theme in THEMES:
        for size in SIZES:
            look = ("--theme", theme, "--size", size)
            for view in VIEWS:
                source = forked if view.name in OF_SOURCE else sample
                path = source if view.needs_file else None
                yield Picture(
                    OTHERS / f"{view.name}-{theme}-{size}.png",
                    path,
                    ("--view", view.name, *look),
                )
            for name in REAL:
                path = CORPUS / name
                for strategy in (
                    (COMPACTION_STRATEGIES[0], DENSE) if path.exists() else ()
                ):
                    out = OTHERS / f"{path.stem}-{strategy}-{theme}-{size}.png"
                    options = f"-s {strategy} --set {LIMIT}=200000 --tab why --select 5".split()
                    yield Picture(out, path, (*options, *look))


def take(picture: Picture) -> bool:
    picture.output.parent.mkdir(parents=True, exist_ok=True)
    run = "import sys; from gui.launcher import main; sys.exit(main())"
    shown = [] if picture.path is None else [str(picture.path)]
    words = [
        sys.executable,
        "-c",
        run,
        "shot",
        *shown,
        "-o",
        str(picture.output),
        *picture.options,
    ]
    return _run(words, picture.output)


def _run(words: list[str], out: Path) -> bool:
    with tempfile.TemporaryDirectory() as home:
        write_sessions(Path(home))
        places = dict.fromkeys(
            ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"), home
        )
        environment = {**os.environ, **places, "QT_QPA_PLATFORM": "offscreen"}
        done = subprocess.run(words, cwd=ROOT, env=environment, check=False)
    print(
        ("" if done.returncode == 0 else "FAILED ") + str(out.relative_to(ROOT)),
        flush=True,
    )
    return done.returncode == 0


def shrink(path: Path) -> None:
    """Save a picture with the 112 colours that are nearest to its own: a third of the size."""
    import oxipng
    from PIL import Image

    with Image.open(path) as picture:
        colours = picture.convert("RGB").quantize(
            112, method=Image.Quantize.MAXCOVERAGE, kmeans=4, dither=Image.Dither.NONE
        )
    colours.save(path)
    zopfli = oxipng.Deflaters.zopfli(15)  # 1.4 % smaller, ten seconds a picture
    oxipng.optimize(path, level=4, strip=oxipng.StripChunks.safe(), deflate=zopfli)


def take_window(name: str, theme: str, size: str, *out: Path) -> bool:
    words = [
        sys.executable,
        "-m",
        "tests.support.picture_window",
        name,
        theme,
        size,
        *map(str, out),
    ]
    return _run(words, out[-1])


def take_report() -> bool:
    """Take the HTML report of our sample in a browser; without one the committed picture stays."""
    out = SHOWN / "report.png"
    if not chromium.find():
        print(f"left as it is, no Chromium here: {out.relative_to(ROOT)}", flush=True)
        return True
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "report.html")
        sample = bundled_samples()[0].path.relative_to(
            ROOT
        )  # its path stands in the report
        run = (
            "-m",
            "gui",
            "convert",
            str(sample),
            "--to",
            "html",
            "-o",
            str(page),
            "--quiet",
        )
        dense = (
            "-s",
            DENSE,
            "--set",
            "compression.context-limit=60000",
            "--set",
            f"{RECENCY}=on",
        )
        return _run([sys.executable, *run, *dense], out) and chromium.picture(
            page, out, "1280,1500"
        )


def main(arguments: Sequence[str]) -> int:
    argparse.ArgumentParser(
        "python -m tests.tools.pictures", description=__doc__
    ).parse_args(arguments)
    good = [
        take(picture) for picture in chain(shown(), others())
    ]  # each while its file is there
    good.append(take_report())
    good.append(take_window("agent", "dark", "1200x740", SHOWN / "agent.png"))
    windows = {
        "writing": ("question", "writing"),
        "put-back": ("hybrid-put-back",),
        "agent": ("hybrid-agent",),
    }
    for (name, files), theme, size in product(windows.items(), THEMES, SIZES):
        out = (OTHERS / f"{file}-{theme}-{size}.png" for file in files)
        good.append(take_window(name, theme, size, *out))
    for path in SHOWN.glob("*.png"):
        shrink(path)
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
