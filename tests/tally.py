#!/usr/bin/python3
"""tally.py - adds up ctest's result files and ends in one line of counts.

    tests/tally.py build/results/*.xml

Skipped cases are listed with their reason, and failed ones are listed again.
Exits with 1 if anything failed.
"""
import os
import sys
import xml.etree.ElementTree as ET


def verdict(case):
    """passed, failed or skipped, from one <testcase>."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if case.find("skipped") is not None:
        return "skipped"
    return "passed" if case.get("status", "run") == "run" else "failed"


def last_line(case):
    """The last line that the case printed: for a skipped one, its reason."""
    lines = (case.findtext("system-out") or "").strip().splitlines()
    return lines[-1].strip().removeprefix("skipped: ") if lines else "it gave no reason"


def main(paths):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for path in paths:
        where = os.path.splitext(os.path.basename(path))[0]
        for case in ET.parse(path).getroot().iter("testcase"):
            kind = verdict(case)
            counts[kind] += 1
            if kind == "skipped":
                print(f"skipped: {case.get('name')}: {last_line(case)}")
            elif kind == "failed":
                print(f"failed: {case.get('name')} ({where})")
    print("%(passed)d passed, %(failed)d failed, %(skipped)d skipped" % counts)
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
