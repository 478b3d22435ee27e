"""assay-hep: packs of high-energy physics for assay."""
