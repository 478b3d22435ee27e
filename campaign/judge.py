"""Judges mutants inside the private copy: ``python -m campaign.judge JOB.json``, in the folder of the copy.

Three processes, each forked from the one before: the first knows no code of ours and starts whatever must be
loaded with the mistake in it; the second has collected the tests; the third runs some of them with one mutant
turned on.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

from campaign import handmade
from campaign.bench import WALL_FACTOR, TrialContext, draw_map, judge_fresh
from campaign.confirm import Confirmation
from campaign.forked import Ended
from campaign.generated import module_of
from campaign.job import Job, read_job
from campaign.mutant import Mutant
from campaign.progress import Progress
from campaign.verdicts import Verdict, keep

PRELOADED = (
    "numpy",
    "scipy.stats",
    "pydantic",
    "sqlalchemy",
    "click",
    "jinja2",
    "rich.console",
    "ruamel.yaml",
)
"""What takes long to load and is not ours."""
PATIENCE_S, FACTOR = 10.0, 5.0
"""Processor time that the tests of a mutant may take: so much and so many times what they take without."""
WALL_S = 60.0
"""The same of wall time, for tests that wait for ever."""


class Judge:
    """Judges mutants one after the other."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._held = handmade.read_held(job.map.with_name("held.json"))
        handmade.restore(self._held)
        self.map = draw_map(job)
        self._imported = set(self.map.imported)
        self._bench = TrialContext(job)
        self._confirmation = Confirmation(lambda names: self._forked(names, ""))

    def verdict(self, mutant: Mutant) -> Verdict:
        """Return what becomes of one."""
        folder = self._job.folders[0]
        function = mutant.switch.rpartition("__mutmut_")[0]
        if mutant.switch:
            names = self.map.tests_of(function, folder=folder)
        else:
            names = self.map.tests_of_module(module_of(mutant.file), folder=folder)
        if not mutant.switch:
            ended = self._confirmation.run(names, lambda left: self._by_hand(left, mutant))
        elif function in self._imported:
            ended = self._confirmation.run(names, lambda left: self._fresh(left, mutant.switch))
        else:
            ended = self._confirmation.run(names, lambda left: self._forked(left, mutant.switch))
        return self._of(mutant, ended, len(names))

    def _by_hand(self, names: list[str], mutant: Mutant) -> Ended:
        with handmade.in_place(mutant, self._held):
            return self._fresh(names, "")

    def _fresh(self, names: list[str], switch: str) -> Ended:
        return judge_fresh(self._job, names, self._limits(names), switch)

    def _forked(self, names: list[str], switch: str) -> Ended:
        return self._bench.judge(switch, names, self._limits(names))

    def _limits(self, names: list[str]) -> tuple[float, float]:
        """Return the most processor time and wall time for tests."""
        cpu_s = sum(self.map.seconds[name] for name in names)
        wall_s = sum(self.map.wall_s[name] for name in names)
        return PATIENCE_S + FACTOR * cpu_s, WALL_S + WALL_FACTOR * wall_s

    def _of(self, mutant: Mutant, ended: Ended, tests: int) -> Verdict:
        verdict = "timeout" if ended.late else "survived" if ended.code == 0 else "killed"
        by = f"{tests} tests" if verdict == "survived" else ended.told or f"exit {ended.code}"
        return Verdict(mutant.id, verdict, by, round(ended.seconds, 2), self._job.commit)

    def close(self) -> list[str]:
        """End what was started, and return the tests that could not be relied on."""
        self._bench.close()
        return self._confirmation.doubtful


def main() -> int:
    """Judge all that the job names."""
    job = read_job(Path(sys.argv[1]))
    for name in PRELOADED:
        import_module(name)
    with tempfile.TemporaryDirectory(prefix="campaign-") as temporary:
        tempfile.tempdir = temporary
        os.environ["TMPDIR"] = temporary
        began = time.monotonic()
        judge = Judge(job)
        failing = judge.map.failing
        sys.stdout.write(f"{job.room}: {len(judge.map.seconds)} tests, {time.monotonic() - began:.0f} s")
        sys.stdout.write(f"; {len(failing)} do not pass without a mistake\n")
        sys.stdout.flush()
        progress = Progress(job.room, len(job.mutants))
        for mutant in job.mutants:
            verdict = judge.verdict(mutant)
            keep(job.state, verdict)
            progress.step(verdict.verdict)
        for name in judge.close():
            sys.stdout.write(f"{job.room}: not relied on, for it fails without a mistake as well: {name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
