"""``docs/never-run.md``: what was never run where assay is built, from the checks and the recording."""

from __future__ import annotations

from assay.factors.catalogue import FACTORS
from assay.selftest.checks import CHECKS
from assay.selftest.levels import never_tried

HEAD = """# What was never run

assay is built and tested on two processors that are virtual themselves, without KVM, hardware counters, SMT siblings or a second memory
node, under Debian. What follows has been planned, compared with recorded machines and read through, and was **never run**. `assay selftest`
tries all of it that a machine allows, in about ten minutes, prints what held and what not, and writes one file, without names of the site,
to send back:

```sh
assay selftest                        # selftest.tar.gz in this folder
assay selftest --only kvm-guests      # one of the checks
```

The file holds what came of each check, the machine as the probe recorded it, and the domains of guests. Look at it before you send it:
`tar -tzf selftest.tar.gz`. `assay evaluate SCENE --dry-run --as selftest.tar.gz` plans for its machine.

## Checks

"""  # noqa: E501
LEVELS = """
## Levels of factors

Each is tried with a paused guest, a second each, where a machine has it. The reason is that of the machine on which assay is built.

"""  # noqa: E501
OTHERS = """
## Programs of others

No self-test tries these:

- Tables as LaTeX (`--format latex`) were never compiled: their text alone is compared.
- The dashboard of Grafana was never opened in Grafana: its queries are run on the views by PostgreSQL.
- PostgreSQL was never reached by TLS: the tests' server is reached by its socket. That another machine's server must prove its name is left to libpq.
"""  # noqa: E501
CLOUDS = """
## Clouds

No self-test tries instances of OpenStack: no real cloud was ever reached ([what was run, and what never](openstack.md#what-was-run-and-what-never)).
"""  # noqa: E501
SOURCE = "\nThis page is written by `tools/factor-docs` from `src/assay/selftest/`.\n"


def never_run_document() -> str:
    """Return the page."""
    rows = ["| check | what holds where it is well | run before |", "| --- | --- | --- |"]
    rows += [f"| `{one.name}` | {one.what} | {'yes' if one.run_before else '**never**'} |" for one in CHECKS]
    levels = ["| level | why not |", "| --- | --- |"]
    levels += [f"| `{said}` | {_plain(why)} |" for said, why in never_tried().items() if _tried(said)]
    return HEAD + "\n".join(rows) + "\n" + LEVELS + "\n".join(levels) + "\n" + OTHERS + CLOUDS + SOURCE


def _tried(said: str) -> bool:
    """Tell whether a paused guest can be tried with it: settings of the host are changed by nobody."""
    return not FACTORS[said.partition("=")[0]].of_host


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("_", "\\_")
