"""The commands, one file a group, loaded when one of it is called."""
