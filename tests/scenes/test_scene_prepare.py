"""The word 'prepare' of a program of the user's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.scenes import Scene, SceneError, read_scene
from assay.scenes.changes.write import write_scene
from assay.workloads import Sizes

HEAD = "scene: a\ntitle: A\nbaseline: {machine: local}\ntreatment: {platform: guest}\nworkloads:\n"
SIZES = Sizes(None, 2**30, 1)


def scene(workload: str, folder: Path = Path("/")) -> Scene:
    return read_scene(f"{HEAD}  - {workload}\n".encode(), file=str(folder / "a.yaml"))


def test_one_command_or_several_make_the_input() -> None:
    (one,) = scene("{name: job, command: cat data, prepare: dd if=/dev/zero of=data}").prepare(SIZES)
    assert one.prepare == (("dd", "if=/dev/zero", "of=data"),)
    (two,) = scene("{name: job, command: cat data, prepare: ['{chain} tables', touch data]}").prepare(SIZES)
    assert two.prepare == (("{chain}", "tables"), ("touch", "data"))
    assert not two.keeps_inputs


def test_the_event_number_reaches_the_preparation_alone_too() -> None:
    text = "{name: job, command: './job', inputs: [], prepare: 'make --n {events}', events: [1, 20]}"
    made = scene(text).prepare(SIZES)
    assert [one.prepare for one in made] == [(("make", "--n", "1"),), (("make", "--n", "20"),)]


def test_a_program_that_the_preparation_makes_need_not_be_an_input(tmp_path: Path) -> None:
    (tmp_path / "job.c").write_text("int main(void) { return 0; }\n")
    made = scene("{name: job, command: ./job, inputs: [job.c], prepare: cc job.c -o job}", tmp_path)
    assert made.prepare(SIZES)[0].program == "./job"


def test_a_scene_with_it_is_written_back_as_it_was() -> None:
    said = scene("{name: job, command: cat data, prepare: ['a b', \"c 'd e'\"]}")
    assert read_scene(write_scene(said).encode(), file="/a.yaml").digest == said.digest


def test_it_is_part_of_what_is_done_and_of_the_digest() -> None:
    without, with_it = (
        scene(f"{{name: job, command: cat data{more}}}") for more in ("", ", prepare: touch data")
    )
    assert without.digest != with_it.digest
    assert without.prepare(SIZES)[0].work != with_it.prepare(SIZES)[0].work


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        ("[]", "expected a command, or a list of commands"),
        ("''", "expected a program and its arguments"),
        ("5", "expected a program and its arguments, got 5"),
        ("'a | b'", "without the shell's '|'"),
        ("'ping {server}'", "expected no {server} in what is prepared"),
        ("./make-data", "expected a program that an input brings, got './make-data'"),
    ],
)
def test_a_wrong_preparation_is_refused_at_its_place(prepare: str, message: str) -> None:
    with pytest.raises(SceneError) as caught:
        scene(f"{{name: job, command: cat data, prepare: {prepare}}}")
    assert message in caught.value.message
    assert caught.value.message.startswith("/a.yaml:6:")


def test_the_chain_takes_events_and_the_size_of_its_tables() -> None:
    first, second = scene("{use: chain-detsim, parameters: {events: [10, 20], size: 128 MiB}}").prepare(SIZES)
    assert (first.name, second.name) == ("chain-detsim-n10", "chain-detsim-n20")
    assert first.prepare[0][-1] == str(128 * 2**20)
    assert "--events" in second.prepare[1]
    assert "20" in second.prepare[1]
    with pytest.raises(SceneError, match="expected a parameter of chain-powheg"):
        scene("{use: chain-powheg, parameters: {size: 128 MiB}}")
