"""What the workloads of a result ask of their files."""

from __future__ import annotations

from fastapi import APIRouter

from assay.activities.files_trace import kept_files
from assay.model.errors import UnknownNameError
from assay.pages.files import FilesPage
from assay.report.render.files_html import files_document
from assay.web.found import of_one
from assay.web.route import page
from assay.web.site import At

router = APIRouter(tags=["results"])


@page(router, "/results/{result}/files", files_document)
def files(site: At, result: str) -> FilesPage:
    """What the workloads of a result ask of their files, phase by phase, where they were traced."""
    row = of_one(site, result)
    found = kept_files(row.folder, store=site.store)
    if found is None:
        kind = "trace of the files of result"
        raise UnknownNameError(kind, row.id, (), hint=f"assay explain {row.id} --files")
    return found
