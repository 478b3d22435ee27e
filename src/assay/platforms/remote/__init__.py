"""Guests on another machine's hypervisor: libvirt by ``qemu+ssh``, everything else through the door to it."""
