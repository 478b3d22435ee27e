"""The built chain: small, static, and with the result that its Rust tests hold it to."""

from __future__ import annotations

import json
import re
import struct
import subprocess
from pathlib import Path

PT_INTERP = 3
TREE = Path(__file__).resolve().parents[2]
CHAIN = TREE / "src/assay/workloads/bin/chain"
GOLDEN = re.search(r'GOLDEN: &str = "([0-9a-f]{16})"', (TREE / "chain/tests/same.rs").read_text())


def chain(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [CHAIN, *arguments, "--directory", directory]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_the_chain_is_static_and_at_most_3_mb() -> None:
    assert CHAIN.stat().st_size <= 3_000_000
    elf = CHAIN.read_bytes()
    first, size, count = struct.unpack_from("<Q", elf, 32)[0], *struct.unpack_from("<HH", elf, 54)
    kinds = {struct.unpack_from("<I", elf, first + index * size)[0] for index in range(count)}
    assert PT_INTERP not in kinds


def test_the_release_build_has_the_digest_of_the_tests(tmp_path: Path) -> None:
    done = chain(tmp_path, "run", "--events", "12", "--seed", "5", "--threads", "2")
    assert done.returncode == 0, done.stderr
    assert GOLDEN is not None
    assert json.loads(done.stdout.splitlines()[-1])["digest"] == GOLDEN[1]


def test_the_library_makes_no_calls_to_functions_that_differ_between_processors() -> None:
    """A C library picks `exp` by processor; ours are in the program, so no such symbol is called for."""
    source = (TREE / "chain/src").rglob("*.rs")
    calls = re.compile(r"\.(exp|ln|log10|log2|sin|cos|tan|powf|powi|cbrt|exp2|sinh|cosh|atan2|mul_add)\(")
    found = [
        f"{path}: {line}" for path in source for line in path.read_text().splitlines() if calls.search(line)
    ]
    assert found == []
