"""Containers, gVisor and user-mode Linux: near-native platforms with the machine's own files.

All of them see the machine's file system read-only and one folder of it to write to, under the same paths:
the same programs run on both arms, from the same files, and no image is needed.
"""
