"""Guest images: recipes, packages and kernels, building, the store, disks of the user."""
