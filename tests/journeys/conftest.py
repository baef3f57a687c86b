"""The window and the files of every journey."""

from tests.core.trials.chat_folder import folder
from tests.gui.window_space import space
from tests.journeys.walks import transcript
from tests.support.warm_worker import warm_context, warm_workers

__all__ = ["folder", "space", "transcript", "warm_context", "warm_workers"]
