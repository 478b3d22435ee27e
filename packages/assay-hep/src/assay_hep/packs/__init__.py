"""Packs: programs that run on an arm, each with the libraries that it needs in one folder.

Nothing imports them, and they import nothing of assay, which is not on an arm. A pack is copied into a folder
together with its libraries (``assay.platforms.packs``) and started there by path, ``python3 FOLDER/run.py``:
its own folder here, and the files beside it, which all packs share.
"""
