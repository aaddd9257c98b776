"""The report: figures, and the page that holds them."""
