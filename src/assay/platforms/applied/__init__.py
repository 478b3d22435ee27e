"""Settings that stay: a domain's definition and files of the host, changed and taken back by a journal."""
