"""Ablations apply where their cause is in a scene, take it away, and can be written into a scene
file again.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.model.work.page_cache import CacheState
from assay.scenes import ABLATIONS, Guest, OtherMachine, Own, Ready, Scene, read_scene
from assay.scenes.changes.write import write_scene
from assay.workloads import Sizes

GUEST = """\
scene: there
title: A guest
baseline: {machine: local}
treatment: {platform: guest, factors: {memory.size: 1 GiB}}
workloads:
  - {use: fio, placement: {copies: 2}, cache: cold}
  - {name: job, command: '{probe} kernel two-phase --output-bytes 4096 --events 3'}
"""
HOST = """\
scene: here
title: This machine
baseline: {machine: local}
treatment: {machine: local, factors: {cpu.quota: 50 %}}
workloads: [flops, {name: mine, command: /bin/true}]
"""
LIMITED = """\
scene: limited
title: This machine under every limit
baseline: {machine: local}
treatment:
  machine: local
  factors:
    {memory.limit: 64 MiB, disk.read-limit: 20 MB/s, disk.write-limit: 10 MB/s, page-cache: cold, pause: 5 %}
workloads: [{name: mine, command: /bin/true}]
"""
CHAIN = """\
scene: chain
title: Steps of the chain
baseline: {machine: local}
treatment: {platform: guest, factors: {memory.size: 1 GiB}}
workloads:
  - chain-pmtrec
  - {use: chain-elecsim, parameters: {events: [4, 8], size: 16 MiB}, placement: {copies: 2}}
  - chain-analysis
  - {use: chain-detsim, parameters: {output: none}}
"""
APPLY = {
    LIMITED: {"disk-read-limit", "disk-write-limit", "memory", "page-cache", "pause"},
    GUEST: {"disk-cache", "huge-pages", "memory", "no-output", "preload", "stagger"},
    HOST: {"cpu-quota"},
    CHAIN: {"disk-cache", "huge-pages", "memory", "no-output", "stagger"},
}


def scene(text: str) -> Scene:
    return read_scene(text.encode(), file="test.yaml")


@pytest.mark.parametrize("text", APPLY)
def test_an_ablation_applies_where_its_cause_is_and_says_why_it_does_not_elsewhere(text: str) -> None:
    reasons = {name: ablation.applies(scene(text)) for name, ablation in ABLATIONS.items()}
    assert APPLY[text] <= {name for name, reason in reasons.items() if reason is None}
    assert all(reason for name, reason in reasons.items() if reason is not None)


@pytest.mark.parametrize(("text", "name"), [(text, name) for text in APPLY for name in sorted(APPLY[text])])
def test_what_is_ablated_is_no_longer_there_and_survives_writing(text: str, name: str) -> None:
    ablation = ABLATIONS[name]
    ablated = ablation.apply(scene(text))
    assert ablated.digest != scene(text).digest
    assert scene(write_scene(ablated)).digest == ablated.digest
    if name != "memory" or text == LIMITED:  # of which a guest can always have more
        assert ablation.applies(ablated)


def test_ablations_do_not_depend_on_the_order_in_which_they_are_ablated() -> None:
    forth, back = scene(GUEST), scene(GUEST)
    for name in sorted(APPLY[GUEST]):
        forth = ABLATIONS[name].apply(forth)
    for name in sorted(APPLY[GUEST], reverse=True):
        back = ABLATIONS[name].apply(back)
    assert forth.digest == back.digest


@pytest.mark.parametrize(
    ("name", "setting"),
    [("guest-cpu", ("cpu.model", "Haswell")), ("native-network", ("net.backend", "user"))],
)
def test_a_setting_of_a_guest_is_ablated_alone(name: str, setting: tuple[str, str]) -> None:
    kept = ("memory.nosharepages", "on")
    guest = replace(scene(GUEST), treatment=Guest(settings=(kept,)))
    assert ABLATIONS[name].applies(guest) is not None
    given = replace(guest, treatment=Guest(settings=(kept, setting)))
    assert ABLATIONS[name].applies(given) is None
    assert ABLATIONS[name].apply(given) == guest
    assert ABLATIONS[name].applies(scene(HOST)) == "the treatment is no guest"


def against(treatment: Guest, baseline: Guest) -> Scene:
    return replace(scene(GUEST), treatment=treatment, baseline_guest=baseline)


@pytest.mark.parametrize("name", ["disk-cache", "huge-pages", "memory"])
def test_what_a_guest_is_given_its_baseline_is_given_too(name: str) -> None:
    same = ABLATIONS[name].apply(against(Guest(), Guest()))
    assert same.baseline_guest == same.treatment != Guest()
    other = Guest(settings=(("disk.bus", "scsi"),))
    ablated = ABLATIONS[name].apply(against(other, Guest()))
    assert ablated.treatment == ABLATIONS[name].apply(against(other, other)).treatment
    assert ablated.baseline_guest == same.treatment
    assert scene(write_scene(ablated)).digest == ablated.digest


@pytest.mark.parametrize(
    ("name", "setting"),
    [("guest-cpu", ("cpu.model", "Haswell")), ("native-network", ("net.backend", "user"))],
)
def test_what_both_guests_have_is_no_cause_of_the_loss_between_them(
    name: str, setting: tuple[str, str]
) -> None:
    ablation, guest = ABLATIONS[name], Guest(settings=(setting,))
    reason = f"the baseline has {setting[0]} {setting[1]}, too"
    assert ablation.applies(against(guest, guest)) == reason
    assert ablation.applies(against(guest, Guest())) is None
    assert ablation.apply(against(guest, Guest())) == against(Guest(), Guest())
    assert "has no" in str(ablation.applies(against(Guest(), guest)))


def test_another_model_than_the_baselines_is_ablated_with_its_mode_from_the_treatment_alone() -> None:
    ours, theirs = (
        Guest(settings=(("cpu.mode", "custom"), ("cpu.model", m))) for m in ("Haswell", "Nehalem")
    )
    assert ABLATIONS["guest-cpu"].applies(against(ours, theirs)) is None
    assert ABLATIONS["guest-cpu"].apply(against(ours, theirs)) == against(Guest(), theirs)


@pytest.mark.parametrize(
    ("mode", "own"), [("host-passthrough", False), ("maximum", False), ("host-model", True)]
)
def test_a_processor_like_the_hosts_is_none_of_the_guests_own(mode: str, own: bool) -> None:
    guest = replace(scene(GUEST), treatment=Guest(settings=(("cpu.mode", mode),)))
    assert (ABLATIONS["guest-cpu"].applies(guest) is None) is own


@pytest.mark.parametrize(("pages", "small"), [("none", True), ("2 MiB", False), ("1 GiB", False)])
def test_huge_pages_are_never_made_smaller(pages: str, small: bool) -> None:
    guest = Guest(settings=(("memory.hugepages", pages),))
    ablation = ABLATIONS["huge-pages"]
    assert (ablation.applies(against(guest, Guest())) is None) is small
    kept = ablation.apply(against(Guest(), guest)).baseline_guest
    assert (kept != guest) is small


def test_more_memory_of_two_guests_leaves_the_work_of_fio_as_the_smaller_gave_it() -> None:
    ablated = ABLATIONS["memory"].apply(against(Guest(memory_bytes=4 << 30), Guest(memory_bytes=1 << 30)))
    assert isinstance(ablated.workloads[0], Ready)
    plain = ABLATIONS["memory"].apply(scene(GUEST)).workloads[0]  # of 1 GiB
    assert ablated.workloads[0] == plain


def test_more_memory_leaves_the_work_of_fio_as_it_was() -> None:
    before, after = scene(GUEST), ABLATIONS["memory"].apply(scene(GUEST))
    assert isinstance(before.treatment, Guest)
    assert isinstance(after.treatment, Guest)
    assert after.treatment.memory_bytes == 2 * before.treatment.memory_bytes
    commands = [
        made.prepare(Sizes(None, made.treatment.memory_bytes, 2))[0].command
        for made in (before, after)
        if isinstance(made.treatment, Guest)
    ]
    assert commands[0] == commands[1]


def test_a_users_own_command_is_never_changed_and_the_reason_says_so() -> None:
    reason = ABLATIONS["no-output"].applies(scene(HOST))
    assert reason is not None
    assert "your own" in reason


def test_a_stagger_proves_nothing_by_a_wall_time_that_holds_it(tmp_path: Path) -> None:
    own = Own("job", ("/bin/true",))
    assert "wall_time" in ABLATIONS["stagger"].spoils
    reason = ABLATIONS["stagger"].applies(with_copies(scene(HOST), own))
    assert reason is not None
    assert "stagger itself" in reason
    assert ABLATIONS["stagger"].applies(with_copies(scene(HOST), Ready("flops"))) is None


def with_copies(here: Scene, workload: Own | Ready) -> Scene:
    placed = replace(workload, placement=replace(workload.placement, copies=2))
    return replace(here, workloads=(placed,))


def test_preloading_warms_cold_files_and_inputs_alone(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x")
    reads = Own("job", ("/bin/cat", "data"), inputs=(str(tmp_path / "data"),))
    made = ABLATIONS["preload"].apply(replace(scene(GUEST), workloads=(reads, Ready("flops"))))
    assert made.workloads[0].cache is not None
    assert made.workloads[0].cache.state is CacheState.WARM
    assert made.workloads[1].cache is None


def test_the_quota_alone_is_ablated() -> None:
    ablated = ABLATIONS["cpu-quota"].apply(scene(HOST))
    assert ablated.treatment == OtherMachine("local")


def test_all_limits_ablated_leave_the_machine_as_it_is() -> None:
    ablated = scene(LIMITED)
    for name in APPLY[LIMITED]:
        ablated = ABLATIONS[name].apply(ablated)
    assert ablated.treatment == OtherMachine("local")


def test_preloading_gives_way_to_a_page_cache_of_the_treatments_own() -> None:
    reason = ABLATIONS["preload"].applies(scene(LIMITED))
    assert reason is not None
    assert "page-cache" in reason


def test_every_ablation_is_in_the_documentation_and_no_other() -> None:
    page = (Path(__file__).parents[2] / "docs" / "proof.md").read_text()
    rows = page.split("## Ablations")[1].split("## Shares")[0]
    named = [line.split("`")[1] for line in rows.splitlines() if line.startswith("| `")]
    assert named == list(ABLATIONS)


def test_a_two_phase_job_without_output_has_none_to_leave_out() -> None:
    applies = ABLATIONS["no-output"].applies
    none = GUEST.replace("--output-bytes 4096 ", "")
    assert applies(scene(none)) == "the two-phase job writes no output"
    assert applies(scene(none.replace("--events 3", "--events 3 --output-bytes 0"))) == applies(scene(none))
    assert "of your own" in str(applies(scene(HOST)))


def test_steps_of_the_chain_leave_their_output_out_under_their_own_names() -> None:
    ablated = ABLATIONS["no-output"].apply(scene(CHAIN))
    assert [workload.name for workload in ablated.workloads] == [one.name for one in scene(CHAIN).workloads]
    without = [one.parameters.no_output for one in ablated.workloads if isinstance(one, Ready)]
    assert without == [True, True, False, True], "the analysis writes none"
    commands = [" ".join(one.command) for one in ablated.prepare(Sizes(None, 2**30, 2))]
    plain = [" ".join(one.command) for one in scene(CHAIN).prepare(Sizes(None, 2**30, 2))]
    assert [one.replace(" --no-output", "") for one in plain] == [
        one.replace(" --no-output", "") for one in commands
    ]
    assert [" --no-output" in one for one in commands] == [True, True, True, False, True]


@pytest.mark.parametrize(
    "name", ["chain", "chain-gen-sim-digi-reco", "chain-analysis", "chain-elecsim-no-output"]
)
def test_what_of_the_chain_has_no_output_to_leave_out_is_no_case(name: str) -> None:
    none = CHAIN.partition("workloads:")[0] + f"workloads: [{name}]\n"
    assert "no workload writes an output that it could leave out" in str(
        ABLATIONS["no-output"].applies(scene(none))
    )
