"""assay-hep: packs of high-energy physics for assay, and files of the reference chain as ROOT files."""
