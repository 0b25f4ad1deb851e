"""Prefect flows over `pipeline` and `generators`: no logic of their own.

Settings that Prefect and Dask need here are defaults in one place, this one; the
environment goes before them. They must be there before either is imported.
"""

import os

import solver

if "load_domain" not in dir(solver):
    raise ImportError(
        f"'solver' is {solver.__file__}, which is not Nestor's: rename it, or start elsewhere"
    )

SETTINGS = {
    # A temporary server takes 10 to 40 s to start; Prefect gives it 20.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "90",
    # Nothing is reported to anybody.
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    # Dask says of every process that it starts and ends; in workers, too.
    "DASK_LOGGING__DISTRIBUTED": "error",
}
for _name, _value in SETTINGS.items():
    os.environ.setdefault(_name, _value)
