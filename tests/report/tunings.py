"""A search for the settings that pay, written by hand."""

from __future__ import annotations

from assay.pages.tuning import (
    ChangeSet,
    Check,
    ConfigValue,
    Kill,
    Killed,
    LeftOut,
    MixRow,
    Saved,
    TriedFactor,
    Tuning,
    TuningEffect,
    TuningRun,
)

FACTORS = (
    TriedFactor("disk.cache", ("directsync", "none", "unsafe"), "restart", {"unsafe": ("data", "migration")}),
    TriedFactor("disk.bus", ("", "scsi"), "restart", {}),
    TriedFactor("disk.format", ("", "raw"), "new image", {}),
)
STEPS = (
    TuningRun(
        "search", ((1, 0, 0), (2, 1, 0)), (), 1, 7, "0000000a", "ended",
        (ConfigValue(2, 6.0), ConfigValue(0, 10.0), ConfigValue(1, 8.0)), 60.0,
    ),
    TuningRun(
        "search", ((1, 1, 0), (2, 0, 1)), (), 1, 8, "0000000b", "ended",
        (ConfigValue(0, 10.1), ConfigValue(1, None), ConfigValue(2, 5.5)), 61.0,
    ),
    TuningRun(
        "confirm", ((1, 0, 0), (2, 0, 0)), ("safe", "any"), 5, 9, "0000000c", "ended", (), 400.0,
    ),
)  # fmt: skip
SAFE = ChangeSet(
    "safe", {"disk.cache": "none"}, (1, 0, 0), (), (TuningEffect(("disk.cache",), 0.2, 0.17, 0.23),),
    (Saved("current", 0.19, 0.15, 0.23, 5),),
    (
        MixRow("fio", "seq_write", tuned=True, loss=-0.23, low=-0.28, high=-0.18, worse=False),
        MixRow("flops", "flops", tuned=False, loss=0.001, low=-0.01, high=0.012, worse=False),
    ),
    recommended=True,
    checks=(
        Check(
            "node<7>", "2026-11-28T13:00:00Z", "0000000d", (Saved("current", 0.12, 0.08, 0.16, 5),),
            (MixRow("fio", "seq_write", tuned=True, loss=-0.14, low=-0.19, high=-0.09, worse=False),),
            holds=True, reason="",
        ),
        Check(
            "", "2026-12-28T13:00:00Z", "0000000e", (Saved("current", 0.02, -0.02, 0.06, 5),), (),
            holds=True, reason="its gain was not confirmed: the interval holds 0",
        ),
    ),
)  # fmt: skip
ANY = ChangeSet(
    "any", {"disk.cache": "unsafe", "disk.bus": "scsi"}, (2, 1, 0), ("data", "migration"),
    (
        TuningEffect(("disk.cache",), 0.42, 0.38, 0.46),
        TuningEffect(("disk.bus",), 0.02, -0.01, 0.05),
        TuningEffect(("disk.cache", "disk.bus"), 0.04, 0.01, 0.07),
    ),
    (Saved("current", 0.41, 0.37, 0.45, 5), Saved("safe", 0.27, 0.22, 0.32, 5)),
    (MixRow("<job>", "wall_time", tuned=True, loss=0.06, low=0.02, high=0.1, worse=True),),
    reason="it costs others of the mix: <job> wall_time loses 6.0 % [2.0, 10.0]",
)  # fmt: skip


KILLED = (
    Killed(
        "current",
        (Kill(0.8, 1_228_800, 0, 0), Kill(2.1, 3_272_704, 0, 0), Kill(1.4, 2_002_944, 0, 0)),
    ),
    Killed(
        "safe", (Kill(1.9, 2_867_200, 0, 0), Kill(0.6, 995_328, 0, 0), Kill(2.7, 4_005_888, 0, 0)),
    ),
    Killed(
        "any",
        (
            Kill(2.2, 4_554_752, 16_384, 4096), Kill(1.1, 2_301_952, 0, 0),
            Kill(0.9, 1_896_448, None, None, "cannot boot guest: <it> gave up"),
        ),
    ),
)  # fmt: skip


def tuning(*, state: str = "complete") -> Tuning:
    """Return a search of two change-sets, the one recommended and the other not."""
    over = state == "complete"
    return Tuning(
        id="89abcdef", state="complete" if over else "begun", created="2026-11-28T12:00:00Z", scene="badly",
        title="A guest that starts <badly>", scene_text="scene: badly\n", scene_file="/home/me/badly.yaml",
        command=None, workloads=("fio",), seed=3, evaluations=40, budget_s=2400.0,
        allowed=("data", "migration"),
        factors=FACTORS, exclude=({"disk.cache": "none", "disk.bus": "scsi"},),
        left_out=(
            LeftOut("disk.size", "it changes the size of the guest or its place, and with it the work"),
            LeftOut("cpu.mode=maximum", "it may put at risk: migration (--allow migration)"),
            LeftOut("cpu.mode=default", "it may put at risk: migration (--allow migration)"),
            LeftOut("host.mitigations", "it takes a reboot of the host", ("mitigations=off",)),
        ),
        runs=STEPS if over else STEPS[:1], found=(SAFE, ANY) if over else (),
        killed=KILLED if over else (),
    )  # fmt: skip
