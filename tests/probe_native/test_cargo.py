"""The unit tests of the probe, of its kernels, of the flame graphs and of the chain, as cargo runs them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.in_gate import in_gate

ROOT = Path(__file__).parents[2]
PROBE = ("--package", "assay-probe", "--package", "assay-kernels", "--package", "assay-nearest")
"""What is built for the tests alone takes half a minute more with the chain and the flame graphs."""


@pytest.mark.parametrize(("crates", "programs"), in_gate([(PROBE, 4), (("--workspace",), 10)], 1))
def test_the_unit_tests_of_the_crates_pass(crates: tuple[str, ...], programs: int) -> None:
    words = ["test", "--quiet", *crates, "--locked", "--manifest-path", "probe/Cargo.toml"]
    done = subprocess.run(
        [ROOT / "tools/cargo", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("test result: ok.") >= programs, done.stdout
