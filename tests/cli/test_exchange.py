"""``assay exchange jobs`` as a person and a program meet it."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from assay.model.files.native import PROBE
from assay.model.machines.inventory import Entry
from assay.model.machines.machine import Fingerprint, Machine, Reach
from assay.store.fingerprints import keep_fingerprint
from assay.store.store import Store
from tests.builders import FACTS
from tests.cli.test_entry import ROOT
from tests.command import run
from tests.contracts import fits
from tests.exchange.jobs.told import CAPTURES
from tests.report.packed import packed_in
from tests.results.production.farms import CLASS, Farm
from tests.results.production.started import Started
from tests.results.test_outcome import PLAN


@pytest.fixture
def nodes(tmp_path: Path) -> str:
    (tmp_path / "nodes.csv").write_text(
        f"node,kind,class\nw[0-99],physical,{CLASS}\nv[0-99],virtual,{CLASS}\n"
    )
    return str(tmp_path / "nodes.csv")


@pytest.fixture
def sacct(tmp_path: Path) -> str:
    return str(Farm(efficiency=(0.93, 0.9)).file(tmp_path))


def test_text_has_both_kinds_of_nodes_the_loss_and_what_it_is_not(
    sacct: str, nodes: str, tmp_path: Path
) -> None:
    done = run("exchange", "jobs", sacct, "--nodes", nodes, "--events", "Comment", home=tmp_path / "home")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"{sacct}: sacct, 280 jobs\n")
    assert re.search(rf"^{CLASS} +8  physical +8 +160  93\.\d+ % \[.*\] +10\.\d+ \[", done.out, re.MULTILINE)
    assert re.search(rf"^{CLASS} +8  virtual +6 +120  ", done.out, re.MULTILINE)
    assert re.search(
        rf"^{CLASS} +8  no result named +\d+\.\d % \[\d+\.\d, 1\d\.\d\] +-[23]\.\d+ pp \[",
        done.out,
        re.MULTILINE,
    )
    assert "no result named" in done.out
    assert "CPU efficiency is lower on virtual nodes" in done.out
    assert "Not paired: " in done.out


def test_json_fits_its_schema_and_html_is_one_file(sacct: str, nodes: str, tmp_path: Path) -> None:
    words = ("exchange", "jobs", sacct, "--nodes", nodes, "--name", "reco-*", "--json")
    done = run(*words, "--output", str(tmp_path / "page.html"), home=tmp_path / "home")
    assert done.code == 0
    assert done.err == f"the page is in {tmp_path / 'page.html'}\n"
    fits(done.page, "production-v1")
    assert (done.page["name"], done.page["quantity"]) == ("reco-*", "job")
    html = (tmp_path / "page.html").read_text()
    assert "<h1>Production beside the lab</h1>" in html
    assert html.count('class="chart" data-chart=') == 2
    assert "reco-*" in html
    assert packed_in(html, "chart-data")


def test_a_result_stands_beside_production(measured: Path, sacct: str, nodes: str, tmp_path: Path) -> None:
    words = ("exchange", "jobs", sacct, "--nodes", nodes, "--events", "Comment", "--result", "last")
    done = run(*words, "--output", str(tmp_path / "page.html"), home=measured)
    assert done.code == 0, done.err
    assert f"the lab: result {PLAN.id}, spin, " in done.out
    assert re.search(
        r"does the lab stand for it\? .*lost beyond the lab's +efficiency", done.out, re.MULTILINE
    )
    assert "no farm runs its jobs so" in done.out or "no: less is lost" in done.out
    assert "the lab" in (tmp_path / "page.html").read_text()
    wrong = run(*words, "--workload", "spinn", home=measured)
    assert wrong.code == 3
    assert "unknown workload 'spinn'; nearest: 'spin'" in wrong.err


def test_real_captures_are_read_and_compare_nothing(tmp_path: Path) -> None:
    files = [str(CAPTURES / name) for name in ("condor_history.json", "jobcomp.txt")]
    done = run("exchange", "jobs", *files, home=tmp_path)
    assert done.code == 6
    assert "left out: 7 cancelled, 5 on nodes that are not known" in done.out
    assert "not known: feas.test, wn0; say what they are with --nodes FILE" in done.out
    (tmp_path / "nodes.csv").write_text("node,kind,class\nfeas,physical,A\nwn0,virtual,A\n")
    done = run("exchange", "jobs", *files, "--nodes", str(tmp_path / "nodes.csv"), home=tmp_path)
    assert done.code == 6
    assert re.search(r"^A +1  physical +1 +4  ", done.out, re.MULTILINE)
    assert re.search(r"^A +2  virtual +1 +1  ", done.out, re.MULTILINE)


def test_nodes_are_those_of_the_inventory_where_no_file_names_them(sacct: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    machines = [(f"w{at}", None) for at in range(8)] + [(f"v{at}", f"w{at}") for at in range(6)]
    store.add_machines(
        [Entry(Machine(name, Reach.SSH, f"{name}.example.org"), guest_of=of) for name, of in machines]
    )
    store.close()
    for name, of in machines:
        model = "AMD EPYC 7763" if of is None else "QEMU Virtual CPU"
        facts = replace(FACTS, hostname=name, cpu_model=model, hypervisor=of is not None)
        keep_fingerprint(tmp_path / "home", name, Fingerprint(facts, {}, 10**18))
    done = run("exchange", "jobs", sacct, "--events", "1000", home=tmp_path / "home")
    assert done.code == 0, done.out + done.err
    assert re.search(r"^AMD EPYC 7763 +8  physical +8 +160 ", done.out, re.MULTILINE)
    assert re.search(r"^AMD EPYC 7763 +8  virtual +6 +120 ", done.out, re.MULTILINE)


def test_damage_is_said_and_has_its_code(sacct: str, nodes: str, tmp_path: Path) -> None:
    with Path(sacct).open("a") as file:
        file.write("7|\x1b[2Jx\n")
    done = run("exchange", "jobs", sacct, "--nodes", nodes, home=tmp_path / "home")
    assert done.code == 5
    assert f"damaged, and in no figure: 1\n  {sacct}:282: expected 12 cells, got '2'\n" in done.out
    assert "\x1b" not in done.out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 2, "Missing argument 'FILE"),
        (
            ("no.txt",),
            3,
            "cannot read no.txt: expected a file that can be read, got no such file or directory",
        ),
        (("a.csv",), 3, "cannot read a.csv:1: expected accounting of jobs, got 'block,arm,value'"),
        (
            ("a.csv", "--nodes", "a.csv"),
            3,
            "cannot read a.csv:1: expected node,kind,class[,cores[,on]], got 'block,arm,value'",
        ),
        (
            ("a.csv", "--events", "0"),
            2,
            "expected a number of events above 0 or the name of a column, got '0'",
        ),
        (("a.csv", "--events", "nan"), 2, "expected a number of events"),
        (("a.csv", "--cores", "0"), 2, "0 is not in the range"),
        (("a.csv", "--workload", "spin"), 2, "--workload goes with --result"),
        (("a.csv", "--result", "none"), 3, "cannot find activity 'none'"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    words: tuple[str, ...], code: int, message: str, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text("block,arm,value\n1,host,2\n")
    done = run("exchange", "jobs", *words, home=tmp_path / "home", folder=tmp_path)
    assert done.code == code, done.err
    assert message in done.err
    assert done.out == ""


def test_pages_without_a_known_job_and_with_odd_names_are_drawn(sacct: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run("exchange", "jobs", sacct, "--output", str(page), home=tmp_path / "home")
    assert done.code == 6
    assert "no job is left to compare" in done.out
    assert "no job is left to compare" in page.read_text()
    (tmp_path / "n.csv").write_text("node,kind,class\nw[0-9],physical,<b>A</b>\nv[0-9],virtual,<b>A</b>\n")
    done = run(
        "exchange",
        "jobs",
        sacct,
        "--nodes",
        str(tmp_path / "n.csv"),
        "--output",
        str(page),
        home=tmp_path / "home",
    )
    assert done.code == 0
    assert "<b>" not in page.read_text()


def test_the_shell_completes_results_and_workloads(measured: Path) -> None:
    variables = {
        "_ASSAY_COMPLETE": "bash_complete",
        "COMP_WORDS": "assay exchange jobs --result ",
        "COMP_CWORD": "4",
    }
    done = run(home=measured, variables=variables)
    assert PLAN.id in done.out


def test_the_page_of_the_documentation_shows_what_is_printed(tmp_path: Path) -> None:
    words = ("examples/sacct.txt", "--nodes", "examples/nodes.csv", "--events", "Comment")
    done = run("exchange", "jobs", *words, home=tmp_path, folder=ROOT)
    assert done.code == 0
    assert f"```\n{done.out}```" in (ROOT / "docs/jobs.md").read_text()


@pytest.mark.parametrize("batch", ["htcondor", "slurm"])
def test_the_wrapper_is_a_script_and_its_probe_is_named(batch: str, tmp_path: Path) -> None:
    words = ("exchange", "wrapper", batch, "/var/spool/it's here")
    done = run(*words, home=tmp_path)
    assert done.code == 0
    assert done.err == f"to be copied to each node as /usr/local/bin/assay-probe: {PROBE.path()}\n"
    assert "--interval 10 --budget 0.1 " in done.out
    (tmp_path / "script").write_text(done.out)
    for shell in (["dash"], ["bash", "--posix"]):
        assert subprocess.run([*shell, "-n", str(tmp_path / "script")], check=False).returncode == 0
    page = run(*words, "--interval", "2.5", "--probe", "/opt/probe", "--json", home=tmp_path).page
    assert (page["batch"], page["interval_s"], page["budget_percent"]) == (batch, 2.5, 0.1)
    assert "--interval 2.5 " in page["script"]
    assert "\nprobe=/opt/probe\n" in page["script"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("pbs", "/d"), "'pbs' is not one of"),
        (("slurm", "d"), "expected an absolute path, got 'd'"),
        (("slurm", "/d\n"), "expected an absolute path"),
        (("slurm", "/d", "--probe", "assay-probe"), "expected an absolute path, got 'assay-probe'"),
        (("slurm", "/d", "--interval", "0"), "0.0 is not in the range"),
    ],
)
def test_a_wrapper_that_could_not_work_is_not_written(
    words: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    done = run("exchange", "wrapper", *words, home=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_starts_of_jobs_are_fitted_and_forecast(tmp_path: Path) -> None:
    jobs, nodes = (str(path) for path in Started(batches=2).write(tmp_path))
    words = ("exchange", "starts", jobs, "--nodes", nodes)
    done = run(*words, home=tmp_path / "home")
    assert done.code == 0, done.err
    assert re.search(rf"^{CLASS} +6 +\d+ +\d+ +\d+\.\d+ \[.*\] +\d\.\d+ \[.* MB/s$", done.out, re.MULTILINE)
    assert "jobs held out (machines): forecasts are off by" in done.out
    done = run(*words, "--json", "--output", str(tmp_path / "page.html"), home=tmp_path / "home")
    assert done.code == 0
    fits(done.page, "starts-v1")
    assert packed_in((tmp_path / "page.html").read_text(), "chart-data")


def test_starts_without_a_job_to_fit_have_the_code_of_nothing(tmp_path: Path) -> None:
    jobs, nodes = (str(path) for path in Started(sizes=(12,), batches=1).write(tmp_path))
    done = run("exchange", "starts", jobs, "--nodes", nodes, home=tmp_path / "home")
    assert done.code == 6
    assert "a fit needs 10" in done.out
    done = run("exchange", "starts", jobs, home=tmp_path / "home")
    assert done.code == 6
    assert "say what they are with --nodes FILE" in done.out
    done = run("exchange", "starts", str(tmp_path / "none"), home=tmp_path / "home")
    assert done.code == 3
    assert done.err.count("\n") == 1
