"""What a job asks of its files as one HTML file, which asks the network for nothing."""

from __future__ import annotations

from assay.pages.files import FilesPage
from assay.report.render import files as words
from assay.report.render.frame import Document, document, whole_file

MOST = 100
"""Files of a phase that have a row of their own: a page has more room than a terminal."""


def html_files(page: FilesPage) -> str:
    """Return the page; every text of it is escaped."""
    return whole_file(files_document(page))


def files_document(page: FilesPage) -> Document:
    """Return the page, without a frame."""
    return document("files.html", (), page=page, words=words, most=MOST)
