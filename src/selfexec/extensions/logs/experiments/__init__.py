"""The experiments on finished logs, a file for each."""
