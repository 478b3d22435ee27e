"""A page as PDF: the HTML report as a browser prints it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from assay.model.errors import AssayError, MissingError

BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "microsoft-edge-stable")
FLAGS = (
    "--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--no-pdf-header-footer", "--virtual-time-budget=60000", "--window-size=980,1000",
)  # fmt: skip
LONGEST_S = 300


def print_pdf(html: str) -> bytes:
    """Return an HTML report as PDF: the same text and pictures each time; its date of printing is in it.

    The page asks the network for nothing, and its policy lets no other script run than its own.

    Raises:
        MissingError: No browser is there.
        AssayError: It cannot print the page.
    """
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        msg = "cannot write PDF: no Chromium or Chrome is on the PATH"
        raise MissingError(
            msg, hint="install chromium, or take --format html and print it where a browser is"
        )
    own = ["--no-sandbox"] if os.geteuid() == 0 else []  # it has none for root
    with tempfile.TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True) as folder:
        page, printed = Path(folder, "report.html"), Path(folder, "report.pdf")
        page.write_text(html, encoding="utf-8")
        command = [browser, *FLAGS, *own, f"--user-data-dir={folder}/profile", f"--print-to-pdf={printed}"]
        told = _run([*command, page.as_uri()])
        if not printed.is_file():
            msg = f"cannot write PDF: {Path(browser).name} printed nothing: {told}"
            raise AssayError(msg, hint="take --format html and print it in a browser")
        return printed.read_bytes()


def _run(command: list[str]) -> str:
    """Run a browser to its end, and all that it started; return the last line of what it said.

    Raises:
        AssayError: It takes too long.
    """
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    ) as browser:
        try:
            _, told = browser.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired as error:
            os.killpg(browser.pid, signal.SIGKILL)
            msg = f"cannot write PDF: {Path(command[0]).name} took longer than {LONGEST_S} s"
            raise AssayError(msg, hint="take --format html") from error
    lines = told.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"exit code {browser.returncode}"
