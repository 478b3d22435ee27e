"""What evaluations say of every configuration, whatever the model: expected values and how sure they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.tune.coding import Numbers
from assay.tune.space import Configs, Space

if TYPE_CHECKING:
    import numpy as np


class Known(ABC):
    """What is known of a configuration's logarithm beside the common level; lower is better."""

    @property
    @abstractmethod
    def space(self) -> Space:
        """Return the space of configurations."""

    @property
    @abstractmethod
    def noise(self) -> float:
        """Return the standard deviation of a single value."""

    @abstractmethod
    def expected(self, configs: Configs) -> Numbers:
        """Return the expected logarithm of each configuration."""

    @abstractmethod
    def spread(self, configs: Configs) -> Numbers:
        """Return the variance of what is known of each configuration."""

    @abstractmethod
    def covariance(self, ones: Configs, others: Configs) -> Numbers:
        """Return the covariance of what is known of each configuration with each other; a row one of them."""

    @abstractmethod
    def draws(self, configs: Configs, count: int, rng: np.random.Generator) -> Numbers:
        """Return so many rows of logarithms of the configurations as they may be together.

        Those that are surely none of the best may be left out: they are infinite.
        """

    def combined(self, configs: Configs, weights: Sequence[float]) -> tuple[float, float]:
        """Return the sum of logarithms of configurations, each with its weight, and its standard error."""
        import numpy as np

        factors = np.array(weights)
        variance = float(factors @ self.covariance(configs, configs) @ factors)
        return float(factors @ self.expected(configs)), float(np.sqrt(max(0.0, variance)))

    def contrast(self, one: Configs, other: Configs) -> tuple[float, float]:
        """Return how far the logarithm of one configuration is above another's, and the standard error."""
        import numpy as np

        return self.combined(np.concatenate([one, other]), (1.0, -1.0))

    def errors(self, configs: Configs, one: Configs) -> Numbers:
        """Return the standard error of how far each configuration is from one."""
        import numpy as np

        variance = self.spread(configs) + self.spread(one) - 2 * self.covariance(configs, one)[:, 0]
        found: Numbers = np.sqrt(np.maximum(variance, 0.0))
        return found
