"""From causes of a loss to settings that may lift them: rules with their sources."""
