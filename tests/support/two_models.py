"""Two profiles with a model server each; the second server makes a name up."""

from collections.abc import Iterator
from contextlib import contextmanager

from core.settings.profile import Profile
from core.settings_store.profile_store import ProfileStore
from tests.support.loopback import SUMMARY, Loopback, Reply, run_loopback

INVENTED = SUMMARY.replace("R-5581", "R-5581, parseEverythingTwice()")
INVENTED_NAMES = 1
BOTH = ("first", "second")

Servers = tuple[Loopback, Loopback]


@contextmanager
def two_models() -> Iterator[Servers]:
    """Save the profiles ``BOTH``, and yield their servers."""
    with run_loopback() as honest, run_loopback(Reply(text=INVENTED)) as inventive:
        save_profile("first", honest.base_url("openai"))
        save_profile("second", inventive.base_url("openai"))
        yield honest, inventive


def save_profile(name: str, base_url: str) -> None:
    ProfileStore().save(
        Profile(
            name=name,
            provider="openai",
            model=f"model-{name}",
            base_url=base_url,
            timeout=5.0,
        )
    )
