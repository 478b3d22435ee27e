"""Packs: programs of ours that run on an arm, each with the libraries that it needs in one folder.

Unlike the rest of this room they open files and print: nothing of assay imports them. A pack is copied into a
folder together with its libraries (``platforms.packs``) and started there by path, ``python3 FOLDER/run.py``:
its own folder here, and the files beside it, which all packs share.
"""
