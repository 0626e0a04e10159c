"""
How far Spark has come, told to whoever listens.

    followed    within it, the tasks of Spark that end are steps of a piece of work
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING

from palmares.core.progress import Step, task

if TYPE_CHECKING:
    from pyspark import SparkContext

_EVERY = 0.5  # seconds


@contextmanager
def followed(context: SparkContext, what: str, total: int) -> Iterator[None]:
    """Within it, the share of Spark's tasks that have ended is that share of *total* done.

    Spark tells of tasks, not of groups in them; a task has some groups, one after the other. What
    counts are the tasks of the last stage that runs: the work itself, when all else is done.
    """
    ended = Event()
    with task(what, total) as step:
        follower = Thread(target=_follow, args=(context, step, total, ended), daemon=True)
        follower.start()
        try:
            yield
        finally:
            ended.set()
            follower.join()


def _follow(context: SparkContext, step: Step, total: int, ended: Event) -> None:
    told = 0
    while not ended.wait(_EVERY):
        with suppress(Exception):  # the context may be stopped at any time
            done = round(total * _share(context))
            if done > told:
                step(done - told)
                told = done
    if told < total:
        step(total - told)


def _share(context: SparkContext) -> float:
    """Of the last stage that any job has, how much has ended."""
    tracker = context.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getActiveJobsIds()]
    last = max((stage for job in jobs if job for stage in job.stageIds), default=None)
    stage = None if last is None else tracker.getStageInfo(last)
    if stage is None or not stage.numTasks:
        return 0.0
    return min(1.0, stage.numCompletedTasks / stage.numTasks)
