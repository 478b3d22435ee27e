"""What an interpreter is given to run counts as the program."""

from __future__ import annotations

import pytest

from assay.activities.trials.script import script_of


@pytest.mark.parametrize(
    ("command", "script"),
    [
        ("python3 /x/job.py", "/x/job.py"),
        ("/usr/bin/python3.11 -u -W default::Warning /x/job.py /x/other.py", "/x/job.py"),
        ("python3 -Xfrozen_modules=off -O /x/job.py", "/x/job.py"),
        ("bash -e -o pipefail /x/job.sh --level 3", "/x/job.sh"),
        ("bash --norc /x/job.sh", "/x/job.sh"),
        ("perl -w /x/job.pl", "/x/job.pl"),
        ("python3 -c pass /x/out", None),
        ("python3 -Ic pass /x/out", None),
        ("python3 -m timeit /x/out", None),
        ("sh -lc true /x/out", None),
        ("perl -e 1 /x/out", None),
        ("python3 job.py", None),
        ("python3 job.py /x/data.root", None),
        ("bash run.sh /x/out.log", None),
        ("bash -e run.sh /x/out.log", None),
        ("bash -o pipefail run.sh /x/out.log", None),
        ("python3", None),
        ("root -b /x/macro.C", None),
        ("dd if=/dev/zero of=/x/out", None),
    ],
)
def test_the_first_word_that_is_no_option_if_it_is_an_absolute_path(command: str, script: str | None) -> None:
    assert script_of(command.split()) == script
