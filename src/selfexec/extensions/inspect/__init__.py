"""Inspect AI, both ways: our experiments as its tasks, our simulated models as its models, and logs of these tasks as
runs, and runs as logs. Nothing here is imported unless somebody asks for it; what imports `inspect_ai` says so.
"""
