"""Chat completions over HTTP."""
