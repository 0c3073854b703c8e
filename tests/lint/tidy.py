"""tidy.py - runs clang-tidy or clang on C files, except unchanged ones without
findings.

tidy.sh and clang.sh call it:

    tidy.py tidy FOLDER FLAG...     clang-tidy 14 on the C files below FOLDER
    tidy.py clang COMMANDS FOLDER...
                                    clang's warnings on the files below the
                                    folders that COMMANDS, a
                                    compile_commands.json, lists

It prints one line for each finding. For a file without a finding it stores a hash in
the folder that the environment variable GOOD names. A file with a stored hash is
skipped. The hash covers the file, the files of the tree that it includes, the flags,
and the version of clang. Of system headers it covers the size and the time.
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)', re.M)
FINDING = re.compile(r"(error|warning): ")
# The number of files per command: clang-tidy needs as long to start as for a small
# file.
TOGETHER = 8


@functools.lru_cache(None)
def read(path):
    """Returns (hash, includes) of a file, or None if the file does not exist."""
    try:
        with open(path, "rb") as f:
            text = f.read()
    except OSError:
        return None
    return hashlib.sha256(text).digest(), tuple(INCLUDE.findall(text))


@functools.lru_cache(None)
def system(name):
    """Returns bytes that change if the system header changes."""
    try:
        s = os.stat(os.path.join("/usr/include", name))
        return f"{name} {s.st_size} {s.st_mtime_ns}".encode()
    except OSError:
        return name.encode()


def state(path, flags, common):
    """Returns a hash of everything that determines the findings of a file."""
    places = [flags[i + 1] if f in ("-I", "-isystem") else f[2:]
              for i, f in enumerate(flags) if f.startswith(("-I", "-isystem"))]
    begin = [flags[i + 1] for i, f in enumerate(flags) if f == "-include"]
    # Without the current folder, so that another checkout has equal hashes.
    total = hashlib.sha256(repr((flags, common)).replace(os.getcwd(), ".").encode())
    seen, todo = set(), [os.path.abspath(p) for p in [path, *begin]]
    while todo:
        at = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        mine, names = read(at)
        total.update(mine)
        for mark, name in names:
            name = name.decode(errors="replace")
            folders = ([os.path.dirname(at)] if mark == b'"' else []) + places
            for folder in folders:
                there = os.path.abspath(os.path.join(folder, name))
                if read(there):
                    todo.append(there)
                    break
            else:
                total.update(system(name))
    return total.hexdigest()


def output_lines(command, folder="."):
    """Returns the findings in a command's output. If the command fails without a
    finding, returns its error output."""
    p = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    lines = [line for line in (p.stdout + p.stderr).splitlines() if FINDING.search(line)]
    if p.returncode and not lines:
        lines = [f"'{' '.join(command[:4])} …' ends with {p.returncode}: {p.stderr[-500:]}"]
    return lines


def look(jobs):
    """Runs the jobs and prints their findings. A job is (command, folder, hashes to
    store if it has no finding). Returns the number of findings."""
    findings = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for lines, keys in pool.map(lambda job: (output_lines(*job[:2]), job[2]), jobs):
            here = os.getcwd() + "/"
            findings.update(line.replace(here, "") for line in lines)
            for key in keys if not lines else ():
                with open(os.path.join(GOOD, key), "w"):
                    pass
    print("".join(line + "\n" for line in sorted(findings)), end="")
    return len(findings)


def is_good(key):
    return os.path.exists(os.path.join(GOOD, key))


def version(program):
    return subprocess.run([program, "--version"], check=True, capture_output=True).stdout


def tidy(folder, *flags):
    with open(CONFIG, "rb") as f:
        common = f.read(), version("clang-tidy-14")
    todo = []
    for at, folders, names in os.walk(folder):
        folders[:] = [d for d in folders if d not in ("build", "node_modules")]
        for name in names:
            path = os.path.join(at, name)
            if name.endswith(".c") and not is_good(key := state(path, flags, common)):
                todo.append((os.path.getsize(path), path, key))
    todo.sort(reverse=True)  # the longest first, spread over the commands
    n = -(-len(todo) // TOGETHER)
    return look([(["clang-tidy-14", "--quiet", f"--config-file={CONFIG}",
                   *[path for _, path, _ in part], "--", *flags], ".",
                  [key for *_, key in part]) for part in (todo[i::n] for i in range(n))])


# Options that clang does not know, or that cost time although no file is compiled.
DROPPED = re.compile(r"-c$|-O|-g|-fsanitize|-fno-sanitize|-M|-o$")


def clang(commands, *wanted):
    with open(commands, encoding="utf-8") as f:
        commands = json.load(f)
    common, seen, jobs = version("clang"), set(), []
    wanted = tuple(os.path.join(os.getcwd(), folder, "") for folder in wanted)
    for entry in commands:
        path = os.path.abspath(os.path.join(entry["directory"], entry["file"]))
        if path in seen or not path.startswith(wanted):
            continue
        seen.add(path)
        words = shlex.split(entry["command"])
        words = words[words.index(next(w for w in words if w.startswith("-"))):]
        flags = [w for i, w in enumerate(words) if not DROPPED.match(w) and
                 words[i - 1] != "-o" and w != entry["file"]]
        if not is_good(key := state(path, flags, common)):
            jobs.append((["clang", "-fsyntax-only", *flags, path], entry["directory"], [key]))
    return look(jobs)


GOOD = os.environ["GOOD"]
CONFIG = os.environ.get("CONFIG", "")
sys.exit(1 if {"tidy": tidy, "clang": clang}[sys.argv[1]](*sys.argv[2:]) else 0)
