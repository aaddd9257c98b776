"""How fast the statistics are: `python benchmarks/statistics`. Rasch, then bootstrap, which is timed beside others.

A folder and no file named statistics.py, which would take the place of Python's own module for whatever runs beside it.
"""

import bootstrap
import rasch

if __name__ == "__main__":
    rasch.main()  # first: the peak memory of a process counts that of its parent
    print()
    bootstrap.main()
