#!/usr/bin/env python3
"""gen_compiled.py - writes a trace of a compiled program (compiled.py).

Example: gen_compiled.py --form inductor --numbers again --times down=1.3 out.json
"""
import argparse
import sys

from compiled import FORMS, made_compiled


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    p.add_argument("--form", choices=FORMS, default="inductor")
    p.add_argument("--numbers", choices=("first", "again"), default="first")
    p.add_argument("--times", action="append", default=[], metavar="KEY=FACTOR")
    p.add_argument("--steps", type=int, default=12)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("out", help="the file to write; - for stdout")
    o = p.parse_args()
    times = {key: float(factor) for key, factor in (t.split("=") for t in o.times)}
    data = made_compiled(o.form, o.numbers, times, steps=o.steps, seed=o.seed)
    if o.out == "-":
        sys.stdout.buffer.write(data)
    else:
        with open(o.out, "wb") as f:
            f.write(data)


if __name__ == "__main__":
    main()
