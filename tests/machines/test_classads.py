"""Words of HTCondor: what goes into its languages, and what comes out of its programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.machines.batch.classads import arguments, ask_ads, checked, quoted, submitted
from assay.machines.batch.condor import HTCondor
from assay.machines.batch.engine import EngineError, Node, Standing
from assay.model.errors import AssayError, UnknownNameError
from tests.machines.test_slurm import in_place_of

SLOT = {
    "Machine": "wn0.test",
    "Microarch": "x86_64-v4",
    "NumDynamicSlots": 0,
    "OpSysAndVer": "Debian13",
    "SlotType": "Partitionable",
    "State": "Unclaimed",
    "TotalSlotCpus": 2,
    "TotalSlotMemory": 1000,
}
"""As ``condor_status`` of HTCondor 23.9 printed it."""


@pytest.mark.parametrize(
    ("text", "expression"), [("wn0", '"wn0"'), ('a"b', r'"a\"b"'), ("a\\", r'"a\\"'), ("it's", '"it\'s"')]
)
def test_a_text_in_an_expression_stays_a_text(text: str, expression: str) -> None:
    assert quoted(text) == expression


def test_words_of_a_command_stay_words() -> None:
    assert arguments(["a b", "it's", '"'], "$(ClusterId)") == "\"'a b' 'it''s' '\"\"' '$(ClusterId)'\""


@pytest.mark.parametrize("text", ["a\nqueue", "$(ClusterId)", "$$(Cpus)", "a\tb"])
def test_what_a_submission_would_take_for_its_own_is_refused(text: str) -> None:
    with pytest.raises(AssayError, match="expected printable text without"):
        submitted(text)


def test_what_is_asked_for_has_its_form_as_a_whole() -> None:
    assert checked("cores", "16", r"[0-9]+", "a whole number") == "16"
    with pytest.raises(AssayError, match=r"cannot ask HTCondor for cores='1\\n': expected a whole number"):
        checked("cores", "1\n", r"[0-9]+", "a whole number")


def answering(program: str, said: object, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "said").write_text(said if isinstance(said, str) else json.dumps(said))
    in_place_of(program, folder, f"cat {folder}/said", monkeypatch)


def test_nothing_at_all_is_no_ads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answering("condor_q", "", tmp_path, monkeypatch)
    assert ask_ads("condor_q") == []


def test_a_node_has_all_its_slots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = {**SLOT, "NumDynamicSlots": 1, "Machine": "wn1.test"}
    static = {**SLOT, "SlotType": "Static", "TotalSlotCpus": 1.0, "Microarch": None, "State": "Owner"}
    answering("condor_status", [other, SLOT, static], tmp_path, monkeypatch)
    features = ("Debian13", "x86_64-v4")
    assert HTCondor().nodes() == (
        Node("wn0.test", (), features, "Unclaimed", 3),
        Node("wn1.test", (), features, "Claimed", 2),
    )


ENDS = [
    ({"JobStatus": 2}, None),
    ({"JobStatus": 4, "ExitCode": 41, "ExitBySignal": False}, "there is no /usr/sbin/sshd on the node"),
    ({"JobStatus": 4, "ExitCode": 3, "ExitBySignal": False}, "exit code 3"),
    ({"JobStatus": 4, "ExitBySignal": True, "ExitSignal": 15}, "signal 15"),
    ({"JobStatus": 5, "HoldReason": "no room "}, "it was held: no room"),
    ({"JobStatus": 5}, "it was held: no reason is told"),
    ({"JobStatus": 3, "LastHoldReason": "no room", "RemoveReason": "a rule"}, "it was held: no room"),
    ({"JobStatus": 3, "RemoveReason": "via condor_rm"}, "via condor_rm"),
    ({"JobStatus": 3}, "it was removed"),
]


@pytest.mark.parametrize(("ad", "how"), ENDS)
def test_how_a_job_has_ended_is_told(
    ad: dict[str, object], how: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering("condor_q", [ad], tmp_path, monkeypatch)
    assert HTCondor().ended("12.0") == how


def test_of_several_jobs_the_newest_is_ours_and_those_at_their_ends_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {"ClusterId": cluster, "ProcId": 0, "JobStatus": status, "JobBatchName": "assay-0", **more}
        for cluster, status, more in (
            (9, 2, {}),
            (10, 1, {"LastRejMatchReason": "no match found "}),
            (11, 3, {}),
            (12, 5, {}),
        )
    ]
    answering("condor_q", rows, tmp_path, monkeypatch)
    found = HTCondor().find("assay-0")
    assert found is not None
    assert (found.id, found.runs, found.why) == ("10.0", False, "no match found")
    assert HTCondor().find("assay-1") is None
    answering("condor_q", [{**rows[0], "JobStatus": 7}], tmp_path, monkeypatch)
    suspended = HTCondor().find("assay-0")
    assert suspended is not None
    assert (suspended.runs, suspended.why) == (False, "it is suspended")


def test_a_command_in_a_job_is_one_word_for_the_shell_there() -> None:
    words = HTCondor().inside("12.0", ["cat", "/tmp/it's here", "$HOME"])
    assert words[0] == "condor_ssh_to_job"
    assert words[-2:] == ["12.0", "cat '/tmp/it'\"'\"'s here' '$HOME'"]


def slot(**more: object) -> dict[str, object]:
    """Return a slot as ``condor_status`` of HTCondor 23.9 prints what its standing is read from."""
    plain = {"Machine": "wn0.test", "MyAddress": "<127.0.0.1:9618>", "SlotType": "Partitionable"}
    return {**plain, "State": "Unclaimed", **more}


def stands(*, empty: bool, drained: bool, reason: str = "") -> Standing:
    return Standing(empty, drained, reason)


DRAINED = {"State": "Drained", "Draining": True, "DrainReason": "a disk is broken"}


@pytest.mark.parametrize(
    ("slots", "standing"),
    [
        ([slot()], stands(empty=True, drained=False)),
        ([slot(State="Owner", SlotType="Static")], stands(empty=True, drained=False)),
        ([slot(), slot(State="Claimed", SlotType="Dynamic")], stands(empty=False, drained=False)),
        ([slot(), slot(SlotType="Dynamic")], stands(empty=False, drained=False)),
        (
            [slot(SlotType="Static"), slot(State="Matched", SlotType="Static")],
            stands(empty=False, drained=False),
        ),
        ([slot(State="Backfill")], stands(empty=False, drained=False)),
        ([slot(**DRAINED)], stands(empty=True, drained=True, reason="a disk is broken")),
        ([slot(State="Drained")], stands(empty=True, drained=True)),
        (
            [slot(**DRAINED), slot(State="Claimed", SlotType="Dynamic", Draining=True)],
            stands(empty=False, drained=True, reason="a disk is broken"),
        ),
    ],
)
def test_a_node_stands_as_its_slots_do(
    slots: list[dict[str, object]], standing: Standing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering("condor_status", slots, tmp_path, monkeypatch)
    assert HTCondor().standing("wn0.test") == standing
    with pytest.raises(UnknownNameError, match="unknown node 'wn9'"):
        HTCondor().standing("wn9")


def test_a_busy_node_is_not_asked_itself_and_an_empty_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The collector learns later than the node that it is drained."""
    (tmp_path / "old").write_text(json.dumps([slot(), slot(Machine="wn1.test", State="Claimed")]))
    (tmp_path / "new").write_text(json.dumps([slot(**DRAINED)]))
    text = f'case "$*" in *-direct*) cat {tmp_path}/new;; *) cat {tmp_path}/old;; esac'
    in_place_of("condor_status", tmp_path, text, monkeypatch)
    assert HTCondor().standing("wn0.test").drained
    assert not HTCondor().standing("wn1.test").drained
    (tmp_path / "new").write_text("")
    with pytest.raises(EngineError, match="cannot read what condor_status of HTCondor says"):
        HTCondor().standing("wn0.test")


def test_a_node_of_several_startds_is_not_drained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answering("condor_status", [slot(), slot(MyAddress="<127.0.0.1:9619>")], tmp_path, monkeypatch)
    with pytest.raises(EngineError, match=r"it has 2 startds, condor_drain drains one of them"):
        HTCondor().drain("wn0.test", "because")


DEAD = """\
Error: communication error
CEDAR:6001:Failed to connect to <127.0.0.1:34849?addrs=127.0.0.1-34849&alias=wn0.test>
Error: Failed to contact startd slot1@wn0.test at <127.0.0.1:34849?addrs=127.0.0.1-34849&alias=wn0.test>
"""
NOT_STARTED = """\
Attempt to send DRAIN_JOBS to startd <127.0.0.1:34849?addrs=127.0.0.1-34849&alias=wn0.test> failed
Failed to start DRAIN_JOBS command to slot1@wn0.test
"""
"""As HTCondor 23.9 said of a startd that was killed; the second it says to a user who may not drain, too."""


def test_a_node_that_does_not_answer_is_not_taken_for_one_that_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dead").write_text(DEAD)
    (tmp_path / "not-started").write_text(NOT_STARTED)
    (tmp_path / "slots").write_text(json.dumps([slot()]))
    text = f'case "$*" in *-direct*) cat {tmp_path}/dead >&2; exit 1;; *) cat {tmp_path}/slots;; esac'
    in_place_of("condor_status", tmp_path, text, monkeypatch)
    in_place_of("condor_drain", tmp_path, f"cat {tmp_path}/not-started >&2; exit 1", monkeypatch)
    for act in (HTCondor().undrain, lambda node: HTCondor().drain(node, "because"), HTCondor().standing):
        with pytest.raises(EngineError, match=r"Failed to contact startd slot1@wn0\.test"):
            act("wn0.test")
