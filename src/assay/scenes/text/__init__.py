"""The text of a scene file: YAML with the place of each word, and the problems that are told by it."""
