#!/usr/bin/env python3
"""modes.py - one case per failure mode: modes.py [CASE…]."""
import sys

import modes_counters
import modes_cupti
import modes_life
from harness import cases_main

if __name__ == '__main__':
    cases_main(modes_life.CASES + modes_cupti.CASES + modes_counters.CASES, sys.argv)
