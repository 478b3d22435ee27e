"""The contracts of the store's files, against the code and against what it writes."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from assay.design import plan_trials
from assay.store.record import write_activity, write_trial
from assay.store.schema import activity_schema, fleet_schema, floor_schema, record_schema
from tests.builders import clock_check, plan_of, record_of

CONTRACTS = Path(__file__).parents[2] / "contracts"
TRIALS = plan_trials(("spin",), blocks=1, seed=1)


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("record", record_schema()),
        ("activity", activity_schema()),
        ("floor", floor_schema()),
        ("fleet", fleet_schema()),
    ],
)
def test_the_contract_is_what_the_code_says_or_tools_schemas_must_be_run(name: str, schema: dict) -> None:
    assert json.loads((CONTRACTS / f"{name}-v1.schema.json").read_text()) == schema


def test_a_written_record_fits_its_contract(tmp_path: Path) -> None:
    write_trial(tmp_path, record_of(TRIALS[0], None, clock=clock_check()))
    jsonschema.validate(json.loads((tmp_path / "trial.json").read_text()), record_schema())


def test_a_written_plan_fits_its_contract(tmp_path: Path) -> None:
    write_activity(tmp_path, plan_of(TRIALS))
    jsonschema.validate(json.loads((tmp_path / "activity.json").read_text()), activity_schema())
