"""Outputs with many names and numbers beyond all doubles: read in linear time, or refused."""

from __future__ import annotations

import json
import time

import pytest

from assay.workloads.errors import OutputError
from assay.workloads.readings.pointer import by_pointer
from assay.workloads.saved_outputs import read_output
from tests.workloads.outputs import capture

LIMIT_S = 2.0
"""Of processor time; what grows with the square took 7 s and more."""


def test_many_names_in_json_take_no_time() -> None:
    names = {f"n{number}": 1 for number in range(20_000)}
    began = time.process_time()
    with pytest.raises(OutputError, match="expected a list 'jobs'"):
        read_output("fio", json.dumps(names).encode())
    text = json.dumps(names)[:-1] + ', "n7": 2}'
    assert by_pointer(text.encode(), "/n8") == 1
    with pytest.raises(ValueError, match="the name 'n7' twice"):
        by_pointer(text.encode(), "/n7")
    assert time.process_time() - began < LIMIT_S


@pytest.mark.parametrize("number", ["1e999", '"1e999"', "9" * 5000, "-" + "9" * 400, "NaN", "-Infinity"])
def test_numbers_beyond_all_doubles_are_no_scores(number: str) -> None:
    text = capture("hep-workloads-2.json").decode()
    whole = json.loads(text)
    for name in whole["report"]["wl-scores"]:
        score = json.dumps(whole["report"]["wl-scores"][name])
        damaged = text.replace(f": {score}", f": {number}")
        assert damaged != text
        try:
            found = read_output("hep-workloads", damaged.encode())
        except OutputError:
            continue
        assert all(one.value < 1e300 for one in found.measurements)
        assert found.refused
