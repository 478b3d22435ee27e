"""Charts: Vega-Lite specifications and flame graphs, from the data of a page."""
