"""Long checks of the tests and of resuming: run by ``make campaign PART=...``, resumable, results kept."""
