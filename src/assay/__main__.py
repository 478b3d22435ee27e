"""``python -m assay``: the command, where only the interpreter is known."""

from assay.cli import main

if __name__ == "__main__":
    main()
