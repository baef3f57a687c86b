"""The entry of the standalone bundle: workers are this same program, started with other arguments."""

from __future__ import annotations

import sys
from multiprocessing import freeze_support

if __name__ == "__main__":
    freeze_support()  # in a worker this does the work and ends here
    if sys.argv[1:2] == ["-c"]:  # core.app.processes starts the process that counts as it would start Python
        from core.tokens.counting_process_main import main as count

        sys.exit(count())
    from gui.launcher import main

    sys.exit(main())
