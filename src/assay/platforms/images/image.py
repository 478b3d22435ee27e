"""Guest images: found, listed, built, removed; each in ``home/images/<digest of its recipe>``."""

from __future__ import annotations

from assay.platforms.images.build import Progress, build_image
from assay.platforms.images.kernel import KERNEL_CMDLINE
from assay.platforms.images.packages import UnknownPackageError, add_site_packages, site_packages
from assay.platforms.images.stored import Image, find_image, list_images, named_image, remove_image

__all__ = [
    "KERNEL_CMDLINE",
    "Image",
    "Progress",
    "UnknownPackageError",
    "add_site_packages",
    "build_image",
    "find_image",
    "list_images",
    "named_image",
    "remove_image",
    "site_packages",
]
