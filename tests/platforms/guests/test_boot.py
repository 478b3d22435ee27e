from pathlib import Path

from assay.platforms.guests.boot import answers_ssh, console_text, last_words
from assay.platforms.guests.guest import pick_port


def test_the_last_words_of_a_guest_end_with_what_it_printed_last() -> None:
    assert last_words("a\n\x1b[0mb\r\n\n  c\nd\ne\nf\n") == ("[0mb", "c", "d", "e", "f")


def test_the_last_words_of_a_panic_are_what_led_to_it_and_not_the_trace() -> None:
    text = "mount: no such disk\nKernel panic - not syncing\nCall Trace:\n" + "x\n" * 30
    assert last_words(text) == ("mount: no such disk", "Kernel panic - not syncing")


def test_a_console_without_log_is_empty(tmp_path: Path) -> None:
    assert console_text(tmp_path / "none") == ""


def test_nobody_answers_on_a_free_port() -> None:
    assert not answers_ssh(pick_port())
