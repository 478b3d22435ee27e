"""What each publication's figures come to, beside what it states."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, stdev

from assay.model.metric import Direction
from assay.stats import log_slowdown, loss_of
from assay.stats.mean import student
from evidence.page import Figures

FOLDER = Path(__file__).parents[1] / "tests/reference"


def read(name: str) -> list[dict[str, str]]:
    """Rows of a file of published figures."""
    with (FOLDER / name).open(newline="") as file:
        return list(csv.DictReader(file))


def loss_percent(baseline: float, treatment: float, direction: Direction = Direction.LOWER) -> float:
    """Return the loss in percent."""
    return 100 * loss_of(log_slowdown([baseline], treatment, direction))


def boss() -> Iterator[Figures]:
    """Twelve guests of one core against one of twelve."""
    one, twelve = _pair("boss_2017_findings.csv", "simulation_time")
    early, late = _pair("boss_2017_findings.csv", "initialization_wait")
    name = "BOSS 2017, 12 guests of 1 core"
    yield _row(name, "loss of the simulation", loss_percent(one, twelve), 7.668, 0.0005)
    yield _row(name, "overhead (printed as loss)", 100 * (twelve / one - 1), 8.31, 0.006)
    share = 100 * (late - early) / (twelve - one)
    yield _row(name, "share of initialization in the longer time", share, 99.23, 0.005)


def atlas() -> Iterator[Figures]:
    """Spread of the rows that were averaged, and what interval their mean has."""
    stated = {
        ("VMware2", "put_block_kb_s"): (35.0, 86.0),
        ("VMware2", "seeks_per_s"): (98.0, 243.0),
        ("Homebrew_c26", "put_block_kb_s"): (None, None),
        ("CernVM_c23", "put_block_kb_s"): (None, None),
        ("CernVM_c23", "get_block_kb_s"): (None, None),
    }
    rows = read("atlas_2011_bonnie.csv")
    for (guest, column), (spread, half) in stated.items():
        values = [float(row[column]) for row in rows if row["configuration"] == guest]
        centre = student(values, 0.95)
        title, percent = f"ATLAS 2011, {guest} {column}, {len(values)} rows", 100 / fmean(values)
        half_width = (centre.high - centre.low) / 2
        yield _row(title, "standard deviation over mean", percent * stdev(values), spread, 0.5)
        yield _row(title, "half-width of the mean's interval", percent * half_width, half, 0.5)


def juno() -> Iterator[Figures]:
    """What is left of a loss without output, or with another start."""
    rows = read("juno_2017_software.csv")
    loss = {(row["workload"], row["output"], row["hardware"]): float(row["loss_percent"]) for row in rows}
    for hardware in ("H1", "H2", "H3"):
        off = loss["ElecSim", "yes", hardware] - loss["ElecSim", "no", hardware]
        yield _row(f"JUNO 2017, ElecSim on {hardware}", "loss that goes with the output", off, unit="pp")
    findings = [row for row in read("juno_2017_findings.csv") if row["finding"] == "detsim_loss"]
    found = {row["condition"]: float(row["high"]) for row in findings}
    whole = found["1 to 12 VMs of 12/n cores on 12 cores with 12 processes"]
    for condition in ("12 VMs started with 5 minutes gap", "12 VMs with preloaded software"):
        less = whole - found[condition]
        yield _row(f"JUNO 2017, DetSim, {condition}", "loss that it takes away", less, unit="pp")


def ijclab() -> Iterator[Figures]:
    """Two metrics of the same jobs, of opposite size."""
    bare, guests = _pair("ijclab_2022_findings.csv", "score")
    slow, fast = _pair("ijclab_2022_findings.csv", "wall_time")
    name = "IJCLab 2022, 2 guests of 128 vCPU"
    yield _row(name, "loss by score", loss_percent(bare, guests, Direction.HIGHER))
    yield _row(name, "ratio of scores", guests / bare, 1.15, 0.005, unit="")
    yield _row(name, "loss by wall time", loss_percent(slow, fast))
    yield _row(name, "ratio of wall times", slow / fast, 4.39, 0.005, unit="")


def proof() -> Iterator[Figures]:
    """Limits of throughput, as far as they are figures."""
    rows = {(row["finding"], row["condition"]): float(row["high"]) for row in read("proof_2007_findings.csv")}
    raid = rows["disk_throughput", "RAID 5 of 8 disks, all branches"]
    single = rows["disk_throughput", "single disk, all branches"]
    loaded = rows["disk_throughput", "RAID 5 of 8 disks, Xrootd preload"]
    gain = -loss_percent(raid, loaded, Direction.HIGHER)
    yield _row("PROOF 2007", "throughput of the RAID over that of a disk", raid / single, unit="")
    yield _row("PROOF 2007", "gain of throughput by preloading", gain)


def _pair(name: str, finding: str) -> tuple[float, float]:
    first, second = (float(row["low"]) for row in read(name) if row["finding"] == finding)
    return first, second


def _row(
    publication: str,
    what: str,
    found: float,
    stated: float | None = None,
    within: float = 0.0,
    *,
    unit: str = "%",
) -> Figures:
    return {
        "publication": publication,
        "what": what,
        "found": found,
        "stated": stated,
        "within": within,
        "unit": unit,
    }
