"""An analysis as ROOT users write it."""
