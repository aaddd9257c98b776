"""The report: one HTML file with the answer, the numbers, and what stands behind them."""
