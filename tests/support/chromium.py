"""A headless browser for our pages, where the machine has one."""

import shutil
import subprocess
import tempfile
from pathlib import Path

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
"""What Chromium and its kin are called."""

_PATIENCE = 180  # seconds; a first start on a busy machine takes its time
_QUIET = (
    *(
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-sync",
    ),
    *(
        "--disable-component-update",
        "--disable-default-apps",
        "--disable-extensions",
        "--hide-scrollbars",
    ),
    *("--no-first-run", "--no-default-browser-check"),
)


def find() -> str:
    """Return the browser's program, "" where there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), "")


def dom(page: Path, *options: str) -> str:
    return _run(page, "--dump-dom", *options)


def picture(page: Path, out: Path, size: str = "1280,1600", *options: str) -> bool:
    _run(page, f"--screenshot={out}", f"--window-size={size}", *options)
    return out.exists()


def _run(page: Path, *options: str) -> str:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        words = [
            find(),
            *_QUIET,
            f"--user-data-dir={profile}",
            *options,
            page.resolve().as_uri(),
        ]
        done = subprocess.run(
            words, capture_output=True, timeout=_PATIENCE, check=False
        )
    return done.stdout.decode("utf-8", "replace")
