"""Jobs of a batch farm as its accounting tells them: Slurm, HTCondor, and prmon's files of single jobs."""
