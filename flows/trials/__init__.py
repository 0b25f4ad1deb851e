"""Scripts that break flows while they run, and compare the results with an undisturbed run's.

`python -m flows.trials.cron`, `work_pool`, `dask_worker` and `kill_learn`; `scaling` measures.
"""
