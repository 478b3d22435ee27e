"""What all tests share."""

from __future__ import annotations

import os

from tests import properties

properties.choose_profile(os.environ.get(properties.CAMPAIGN))
