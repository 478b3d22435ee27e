"""Factors of starts: their levels, what they refuse, and their words in other tools."""

from __future__ import annotations

import configparser
import shlex
import subprocess
from pathlib import Path

import pytest

from assay.factors.base.levels import LevelError, Time, spell_seconds
from assay.factors.base.plain_host import PlainHost
from assay.factors.catalogue import FACTORS, acts_left, read_setting, refused
from assay.factors.export.domain import into_domain
from assay.factors.export.words_of import FORMATS, TRIED, export
from assay.factors.start.starts import ELSEWHERE, WORDS, layout_with, start_levels
from assay.model.platforms.layout import Layout
from assay.scenes.values.settings import is_generic

HOST = PlainHost()
STAGGER = FACTORS["start.stagger"].levels


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("5 s", "5 s"),
        ("5s", "5 s"),
        ("500 ms", "0.5 s"),
        ("1 ms", "0.001 s"),
        ("5 min", "300 s"),
        ("1 h", "3600 s"),
        ("0 s", "0 s"),
        ("0 h", "0 s"),
        ("0.7 s", "0.7 s"),
        ("1.5 min", "90 s"),
        ("0.029 s", "0.029 s"),
    ],
)
def test_a_stagger_is_kept_in_seconds(written: str, kept: str) -> None:
    assert STAGGER.read(written) == kept
    assert STAGGER.read(kept) == kept


@pytest.mark.parametrize(
    "written", ["5", 5, True, None, "-1 s", "3600001 ms", "61 min", "0.5 ms", "1e3 s", "s"]
)
def test_what_is_no_stagger_is_refused(written: object) -> None:
    with pytest.raises(LevelError, match="a time from 0 s to 1 h, like '60 s'"):
        STAGGER.read(written)


def test_times_are_spelt_without_an_exponent() -> None:
    assert [spell_seconds(one) for one in (0.0, 0.5, 60.0, 3600.0, 1e-05)] == [
        "0 s",
        "0.5 s",
        "60 s",
        "3600 s",
        "0.00001 s",
    ]
    assert Time("1 s", "1 min", ("2 s", "1 min")).choices == ("2 s", "60 s")


def test_starts_are_words_of_the_layout_and_no_settings_of_a_guest() -> None:
    assert [name for name in FACTORS if name.startswith("start.")] == list(WORDS)
    assert not any(map(is_generic, WORDS))
    assert all(FACTORS[name].of_start and not FACTORS[name].hazards for name in WORDS)
    assert not FACTORS["disk.cache"].of_start
    for name in WORDS:
        assert FACTORS[name].default in FACTORS[name].levels.choices


def test_a_layout_of_a_default_has_the_default_levels() -> None:
    assert start_levels(Layout(2)) == {name: FACTORS[name].default for name in WORDS}
    assert layout_with(Layout(4, 5.0, at_once=2), {"disk.bus": "scsi"}) == Layout(4, 5.0, at_once=2)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"start.at_once": "2", "start.stagger": "0 s"}, "all start at once then, which is start.at_once=1"),
        ({"start.at_once": "2", "start.stagger": "0.001 s"}, None),
        ({"start.at_once": "1", "start.stagger": "0 s"}, None),
        ({"start.at_once": "2"}, None),
        ({"start.stagger": "0 s", "start.preload": "on"}, None),
    ],
)
def test_several_at_once_without_a_stagger_are_refused(settings: dict[str, str], reason: str | None) -> None:
    found = refused(settings, HOST)
    assert [one.name for one in found] == ([] if reason is None else ["start.at_once"])
    assert reason is None or reason in found[0].reason


def test_a_paused_guest_starts_no_jobs() -> None:
    (left,) = acts_left({"start.preload": "on"}, HOST)
    assert left.reason == "is when jobs start, which an activity sees to; a paused guest runs none"
    assert read_setting("start.stagger=5 min") == ("start.stagger", "300 s")


def exported(form: str, **settings: str) -> tuple[str, dict[str, str]]:
    done = export({f"start.{name}": level for name, level in settings.items()}, form, HOST)
    return done.text, dict(done.left_out)


@pytest.mark.parametrize(
    ("settings", "text", "left"),
    [
        ({"stagger": "5 s"}, "JOB_START_DELAY = 5\n", {}),
        ({"stagger": "5 s", "at_once": "2"}, "JOB_START_DELAY = 5\nJOB_START_COUNT = 2\n", {}),
        ({"at_once": "255"}, "JOB_START_COUNT = 255\n", {}),
        ({"stagger": "0 s", "at_once": "1"}, "JOB_START_DELAY = 0\nJOB_START_COUNT = 1\n", {}),
        ({"stagger": "3600 s"}, "JOB_START_DELAY = 3600\n", {}),
        (
            {"stagger": "0.5 s", "at_once": "2"},
            "JOB_START_COUNT = 2\n",
            {"start.stagger": "HTCondor has no exact word for this level"},
        ),
        (
            {"stagger": "5 s", "preload": "on"},
            "JOB_START_DELAY = 5\n",
            {"start.preload": "a unit of the guest reads the files: export it with --format preload"},
        ),
        ({"preload": "off"}, "", {"start.preload": ELSEWHERE["start.preload"]}),
    ],
)
def test_htcondor_gets_a_count_and_a_delay_in_whole_seconds(
    settings: dict[str, str], text: str, left: dict[str, str]
) -> None:
    assert exported("htcondor", **settings) == (text, left)


HEAD = "# into the SchedulerParameters of slurm.conf, beside what is there; of all partitions\n"


@pytest.mark.parametrize(
    ("settings", "words", "left"),
    [
        (
            {"stagger": "5 s", "at_once": "2"},
            "defer,sched_max_job_start=2,bf_max_job_start=2,sched_min_interval=5000000,bf_interval=5",
            {},
        ),
        (
            {"stagger": "60 s"},
            "defer,sched_max_job_start=1,bf_max_job_start=1,sched_min_interval=60000000,bf_interval=60",
            {},
        ),
        ({"at_once": "2"}, "defer,sched_max_job_start=2,bf_max_job_start=2", {}),
        ({"stagger": "0 s", "at_once": "1"}, "sched_max_job_start=0,bf_max_job_start=0", {}),
        (
            {"stagger": "0 s", "at_once": "4"},
            "sched_max_job_start=0,bf_max_job_start=0",
            {"start.at_once": "with start.stagger=0 s all start at once"},
        ),
        (
            {"stagger": "2147 s"},
            "defer,sched_max_job_start=1,bf_max_job_start=1,sched_min_interval=2147000000,bf_interval=2147",
            {},
        ),
        ({"stagger": "2148 s"}, "", {"start.stagger": "Slurm's sched_min_interval is 2147 s at most"}),
        (
            {"stagger": "0.5 s", "at_once": "2"},
            "defer,sched_max_job_start=2,bf_max_job_start=2",
            {"start.stagger": "Slurm's backfill scheduler counts whole seconds"},
        ),
        ({"preload": "on"}, "", {"start.preload": ELSEWHERE["start.preload"]}),
    ],
)
def test_slurm_gets_a_throttle_of_both_schedulers(
    settings: dict[str, str], words: str, left: dict[str, str]
) -> None:
    text = f"{HEAD}SchedulerParameters={words}\n" if words else ""
    assert exported("slurm", **settings) == (text, left)


def test_slurm_s_numbers_fit_what_slurmctld_reads() -> None:
    for seconds in (1, 2147):
        text, _ = exported("slurm", stagger=f"{seconds} s")
        values = dict(word.split("=") for word in text.splitlines()[1].split(",") if word.count("=") == 1)
        assert 0 <= int(values["sched_min_interval"]) < 2**31
        assert 1 <= int(values["bf_interval"]) <= 10_800


def unit() -> configparser.ConfigParser:
    text, left = exported("preload", preload="on")
    assert left == {}
    read = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read_string("\n".join(line for line in text.splitlines() if not line.startswith("#")))
    return read


def test_the_unit_of_a_preload_runs_once_before_jobs_start() -> None:
    read = unit()
    assert dict(read["Service"])["Type"] == "oneshot"
    assert dict(read["Service"])["RemainAfterExit"] == "yes"
    assert read["Unit"]["Before"].split() == ["slurmd.service", "condor.service"]
    assert read["Install"]["WantedBy"] == "multi-user.target"
    assert read["Service"]["Environment"] == "PRELOAD=/opt/software"


def test_the_command_of_the_unit_reads_every_file_below_its_folders(tmp_path: Path) -> None:
    """As systemd does: a variable that is a word of its own becomes its words."""
    one, other = tmp_path / "one", tmp_path / "other"
    (one / "deep; rm").mkdir(parents=True)
    other.mkdir()
    (one / "a b").write_text("first\n")
    (one / "deep; rm" / "$(c)").write_text("second\n")
    (other / "d").write_text("third\n")
    words = shlex.split(unit()["Service"]["ExecStart"])
    at = words.index("$PRELOAD")
    command = [*words[:at], str(one), str(other), *words[at + 1 :]]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == ["first", "second", "third"]
    gone = [*words[:at], str(tmp_path / "gone"), *words[at + 1 :]]
    assert subprocess.run(gone, capture_output=True, check=False).returncode == 1


def test_no_unit_is_written_for_what_reads_nothing() -> None:
    assert exported("preload", preload="off", stagger="5 s") == (
        "",
        {
            "start.stagger": "the batch system starts the jobs: export it with --format htcondor or slurm",
            "start.preload": "nothing is read where there is no unit",
        },
    )


@pytest.mark.parametrize("form", [one for one in FORMATS if one not in {"htcondor", "slurm", "preload"}])
def test_other_formats_name_starts_with_the_format_that_says_them(form: str) -> None:
    done = export({"start.stagger": "5 s", "start.at_once": "2", "start.preload": "on"}, form, HOST)
    assert (done.text, dict(done.left_out)) == ("", dict(ELSEWHERE))


@pytest.mark.parametrize("form", ["htcondor", "slurm", "preload"])
def test_formats_of_starts_name_what_is_a_guest_s_and_were_never_run_by_their_tools(form: str) -> None:
    done = export({"disk.cache": "none", "start.stagger": "5 s"}, form, HOST)
    assert "disk.cache" in done.left_out
    assert form not in TRIED


def test_starts_are_not_put_into_a_domain() -> None:
    text = "<domain type='kvm'><devices><disk device='disk'><driver/></disk></devices></domain>"
    new, left = into_domain(text, {"start.stagger": "5 s", "disk.cache": "none"}, HOST)
    assert left == {"start.stagger": ELSEWHERE["start.stagger"]}
    assert 'cache="none"' in new


def test_a_shared_base_image_is_found_by_its_words() -> None:
    assert "shared base image" in FACTORS["disk.backing"].title
    assert FACTORS["disk.backing"].levels.choices[:2] == ("0", "1")
