"""Starts a pack from its folder: ``python3 FOLDER/run.py WORDS…``."""

import importlib
import json
import sys
from pathlib import Path

_MISSING = 4


def main() -> int:
    """Run the pack with the libraries beside it, on the Python that they were built for.

    Returns:
        The exit code: 4 where this Python is another one.
    """
    folder = Path(__file__).resolve().parent
    about = json.loads((folder / "pack.json").read_text(encoding="utf-8"))
    name, made_for = about["pack"], about["pythons"]
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    if here not in made_for:
        wanted = " ".join(f"--python {python}" for python in (*made_for, here))
        sys.stderr.write(
            f"cannot run the pack {name}: it was made for Python {', '.join(made_for)}, and "
            f"python3 here is {here}; hint: assay workload pack {name} {wanted}\n"
        )
        return _MISSING
    sys.path[:0] = [str(folder / f"lib-{here}"), str(folder)]
    sys.dont_write_bytecode = True  # the folder is named by its content
    command = importlib.import_module(f"packs.{name}.command")
    return int(command.run(sys.argv[1:], started=(sys.executable, str(folder / "run.py"))))


if __name__ == "__main__":
    sys.exit(main())
