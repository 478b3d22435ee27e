"""The unit tests of the probe, of its kernels, of the flame graphs and of the chain, as cargo runs them."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_unit_tests_of_all_crates_pass() -> None:
    words = ["test", "--quiet", "--workspace", "--locked", "--manifest-path", "probe/Cargo.toml"]
    done = subprocess.run(
        [ROOT / "tools/cargo", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("test result: ok.") >= 10, done.stdout
