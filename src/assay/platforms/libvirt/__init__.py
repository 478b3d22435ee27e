"""libvirt as a provider of guests: the accelerator, the try of a setting, a look without disturbance."""
