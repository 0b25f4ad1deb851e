"""All that the process of a job imports before it reads its folder, imported.

The process that does so is copied for each job. It is in a session of its own, for Ctrl-C and the
end of a terminal are the server's; it starts no process and no thread, which a copy would lack;
those of libraries see to it themselves.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress

with suppress(OSError):  # one that leads a session
    os.setsid()
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # see `processes.begin`

import solver.design_page.worker  # noqa: E402
import solver.searching.solution  # noqa: E402, F401
from solver.compiling.parts import begin_loading  # noqa: E402

begin_loading()
