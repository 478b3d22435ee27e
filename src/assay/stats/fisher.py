"""Do two groups differ in how often something happened to them? Exact for any counts."""

from __future__ import annotations

from math import comb


def fisher_exact(hit_a: int, spared_a: int, hit_b: int, spared_b: int) -> float:
    """Return the two-sided p value of Fisher's exact test of a table of two by two.

    With the margins fixed, the number of hits in the first group is hypergeometric; p is the probability of
    all tables that are at most as likely as the one seen. The comparison is made on whole numbers, so that no
    rounding decides what "as likely" means.

    Args:
        hit_a: Members of the first group to which it happened, >= 0.
        spared_a: The others of the first group, >= 0.
        hit_b: Members of the second group to which it happened, >= 0.
        spared_b: The others of the second group, >= 0.

    Returns:
        A probability, 0 < p <= 1; 1 where a group is empty or nothing happened.

    Source:
        R. A. Fisher, J. R. Stat. Soc. 85 (1922) 87-94; two sides by the likelihood of the table: Freeman and
        Halton, Biometrika 38 (1951) 141-149.

    Limits:
        Members must be independent. The test is conservative for small counts.
    """
    size_a, size_b, hits = hit_a + spared_a, hit_b + spared_b, hit_a + hit_b
    possible = range(max(0, hits - size_b), min(hits, size_a) + 1)
    weights = {k: comb(size_a, k) * comb(size_b, hits - k) for k in possible}
    return sum(weight for weight in weights.values() if weight <= weights[hit_a]) / comb(
        size_a + size_b, hits
    )
