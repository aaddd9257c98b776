"""Questions asked of counts: one file, or folder, for each."""
