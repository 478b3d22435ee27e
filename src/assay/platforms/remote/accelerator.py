"""KVM on another machine where it truly works, else TCG: by that machine's own facts and a real
start there.
"""

from __future__ import annotations

import secrets
import time

from assay.platforms.errors import asking_libvirt
from assay.platforms.guests.domains import find_domain, remove_domain
from assay.platforms.guests.mark import Mark
from assay.platforms.guests.spec import Accelerator
from assay.platforms.images.stored import Image
from assay.platforms.libvirt.accelerator import PROOF_S, PROVED, proof_xml
from assay.platforms.readers import FOLDER, READ
from assay.platforms.remote.files import read_text
from assay.platforms.remote.hypervisor import Hypervisor, lend_there

_LOOK_S = 0.2


@asking_libvirt("choose an accelerator")
def choose_remote_accelerator(on: Hypervisor, image: Image, *, activity: str) -> Accelerator:
    """Return what shall run guests' instructions on a machine, and why.

    Args:
        on: The machine.
        image: As it lies there; its kernel is started for the proof.
        activity: The activity that holds the machine: the proof carries its mark.
    """
    if on.host.accelerator != "kvm":
        lack = f"the processor of {on.name} shows neither vmx nor svm, or there is no /dev/kvm"
        return Accelerator("tcg", f"guests are emulated, for {lack}")
    if image.kernel is None:
        return Accelerator(
            "kvm", "the processor supports virtual machines; its image has no kernel to prove it by"
        )
    lend_there(on, FOLDER, image.folder)
    lend_there(on, READ, image.kernel)
    failure = _prove(on, str(image.kernel), activity)
    if failure is not None:
        return Accelerator("tcg", f"guests are emulated, for a real start with KVM failed: {failure}")
    return Accelerator("kvm", PROVED)


def _prove(on: Hypervisor, kernel: str, activity: str) -> str | None:
    import libvirt

    name = f"assay-proof-{secrets.token_hex(4)}"
    folder = on.home / "guests" / name
    console = folder / "console.log"
    on.make_folder(folder)
    lend_there(on, FOLDER, folder)
    text = proof_xml(name, kernel=kernel, console=console, mark=Mark(activity, on.home))
    try:
        on.connection.createXML(text, 0)
        return _first_line(on, str(console))
    except libvirt.libvirtError as error:
        return str(error).splitlines()[0]
    finally:
        left = find_domain(on.connection, name)
        if left is not None:
            remove_domain(left)
        on.remove_folder(folder)


def _first_line(on: Hypervisor, console: str) -> str | None:
    deadline = time.monotonic() + PROOF_S
    while not (read_text(on.door, console) or "").strip():
        if time.monotonic() > deadline:
            return f"its kernel printed nothing within {PROOF_S:.0f} s"
        time.sleep(_LOOK_S)
    return None
