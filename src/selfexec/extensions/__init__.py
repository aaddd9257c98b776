"""What has an audience of its own, each a package that nothing of the core needs."""
