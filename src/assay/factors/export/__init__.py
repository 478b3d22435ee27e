"""Settings in the formats of others: libvirt, Nova, KubeVirt, Proxmox VE, tuned."""
