"""How fast the statistics are: `python benchmarks/statistics [--large]`. Bootstrap, then Rasch, each beside others.

A folder and no file named statistics.py, which would take the place of Python's own module for whatever runs beside it.
"""

import bootstrap
import rasch

if __name__ == "__main__":
    bootstrap.main()
    print()
    rasch.main()
