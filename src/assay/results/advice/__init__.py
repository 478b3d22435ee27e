"""From a result to the settings that may win its losses back."""
