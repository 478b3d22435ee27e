"""What the readers of tools' outputs share: numbers, lines that nobody knows, ends that are told or not."""
