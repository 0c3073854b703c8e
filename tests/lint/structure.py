"""structure.py - counts what makes the tree hard to read; structure.sh starts it.

    structure.py [--list FIGURE]

It reads the product's files (server, collector, include and web) below the current
folder. It prints a table of figures, each with its ceiling and its goal, and exits with
1 if a figure is above its ceiling. --list prints the places that one figure counts:
folders, tags, headers, headers-untested, functions, functions-untested or circles.

The figures come from the text, without a build. A file uses a name if the name occurs
outside of comments and strings, is not a field (a.name, a->name), and is declared by a
header that the file includes, directly or through other headers. Handlers, decoders and
commands are registered in a .def. They have one user by design and are not counted. A
unit test is a reason for a header and for an extern function. Therefore the figures
"-untested" count only those that no test uses.
"""
import functools
import os
import re
import sys

TREES = ("server", "collector", "include", "web")

# The most files that a folder may have. A folder that has more today has its own
# ceiling, which may only fall. Remove the ceiling once the folder is within the limit.
FILES = 40
FOLDERS = {}

# Ceilings of the other figures. They may only fall: a commit that lowers a figure also
# lowers its ceiling.
TAGS = 0
HEADERS = 55
HEADERS_UNTESTED = 17
FUNCTIONS = 60.9  # per cent of all extern functions
FUNCTIONS_UNTESTED = 23.5
CIRCLES = 0

WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
TOKEN = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"](?:[^>"\n]*/)?([^>"\n/]+)[>"]',
                     re.M)
IMPORT = re.compile(r"""^(?:import|export)\b[^;'"]*?['"](\.[^'"]+)['"]""", re.M)
TAG = re.compile(r"\bstruct\s+(\w+)\s*\{")
# A definition starts at the left margin, and so does the brace of its body, as
# clang-format writes it.
FUNCTION = re.compile(r"^(?![ \t\n}{])([^;{}=]*?)\b([A-Za-z_]\w*)\s*"
                      r"\((?:[^();{}]|\((?:[^();{}]|\([^();{}]*\))*\))*\)\s*\n\{",
                      re.M)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", re.M)
PASTE = re.compile(r"(?:\b(\w+)\s*##\s*)?\b[a-zA-Z]\w*(?:\s*##\s*(_\w+))?")
TAGGED = re.compile(r"\b(?:struct|enum|union)\s+\w+")


def files():
    """Returns the product's files, sorted, without built and downloaded files."""
    found = []
    for tree in TREES:
        for at, folders, names in os.walk(tree):
            folders[:] = sorted(f for f in folders
                                if f not in ("node_modules", "build", "__pycache__"))
            found += [f"{at}/{n}" for n in sorted(names)]
    return found


@functools.lru_cache(None)
def code(path):
    """Returns a file's text without comments and strings; macro definitions stay."""
    with open(path, encoding="utf-8", errors="replace") as f:
        text = f.read()
    return TOKEN.sub(lambda m: '""' if m[0][0] == '"' else " ", text)


@functools.lru_cache(None)
def raw(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


@functools.lru_cache(None)
def words(path):
    """Returns the identifiers of a file, except fields and tags."""
    return frozenset(WORD.findall(TAGGED.sub(" ", code(path).replace("->", "."))))


@functools.lru_cache(None)
def extern(path):
    """Returns the functions that a .c file defines for other files."""
    text = DIRECTIVE.sub("", ATTRIBUTE.sub("", code(path)))
    found = set()
    for before, name in FUNCTION.findall(text):
        before = before.split("\n\n")[-1].strip()
        if before and not re.search(r"\bstatic\b", before):
            found.add(name)
    return found - {"main"}


def world(path):
    """The server and the collector may each have a header of the same name."""
    return "collector" if path.startswith("collector/") else "server"


class Tree:
    def __init__(self, paths):
        self.paths = paths
        self.c = [p for p in paths if p.endswith(".c")]
        self.h = [p for p in paths if p.endswith(".h")]
        self.named = {}
        for h in self.h:
            self.named.setdefault(os.path.basename(h), []).append(h)
        self.includes = {p: self.included(p) for p in self.c + self.h}
        self.registered = self.names_of_lists()

    def names_of_lists(self):
        """Returns the names that the .def files register: their words, alone and with
        the prefixes and suffixes that macros add to them."""
        listed, pasted = set(), {("", "")}
        for p in self.paths:
            if p.endswith(".def"):
                listed |= words(p)
            if p.endswith((".c", ".h", ".def")):
                pasted |= {(before, after) for before, after in PASTE.findall(raw(p))}
        return {before + word + after for before, after in pasted for word in listed}

    def included(self, path):
        """Returns the tree's headers that a file includes. If the server and the
        collector both have a header of that name, it is the one on the file's side."""
        found = set()
        for name in INCLUDE.findall(raw(path)):
            there = self.named.get(name, [])
            found |= set([h for h in there if world(h) == world(path)][:1] or there[:1])
        return found

    def seen(self, path):
        """Returns every header that a file includes, directly or through others."""
        found, todo = set(), list(self.includes[path])
        while todo:
            h = todo.pop()
            if h not in found:
                found.add(h)
                todo += self.includes[h]
        return found


def folders_of(paths):
    count = {}
    for p in paths:
        folder = os.path.dirname(p)
        count[folder] = count.get(folder, 0) + 1
    return count


def tags_of(tree):
    """Returns [(tag, files)] of struct tags that are defined in more than one place."""
    found = {}
    for p in tree.c + tree.h:
        for tag in TAG.findall(code(p)):
            found.setdefault(tag, []).append(p)
    return sorted((t, ps) for t, ps in found.items() if len(ps) > 1)


def own(header, user):
    return os.path.splitext(user)[0] == os.path.splitext(header)[0]


@functools.lru_cache(None)
def tests():
    """Returns the C files of the tests."""
    return [f"{at}/{n}" for at, _, names in os.walk("tests") for n in names
            if n.endswith((".c", ".h"))]


def headers_of(tree):
    """Returns [(header, user, whether a test includes it)] of headers that only one
    file includes, apart from their own .c file."""
    included = {h for p in tests() for h in INCLUDE.findall(raw(p))}
    users = {h: [] for h in tree.h}
    for p, headers in tree.includes.items():
        for h in headers:
            if not own(h, p):
                users[h].append(p)
    return sorted((h, u[0], os.path.basename(h) in included)
                  for h, u in users.items() if len(u) == 1)


def functions_of(tree):
    """Returns, for each function that a header declares, the files that define it and
    the files that use it."""
    defined = {}
    for p in tree.c:
        for name in extern(p):
            defined.setdefault(name, set()).add(p)
    declared = {}
    for h in tree.h:
        for name in words(h) & defined.keys():
            declared.setdefault(name, set()).add(h)
    defined = {n: places for n, places in defined.items() if n in declared}
    users = {name: set() for name in defined}
    for p in tree.c:
        seen = tree.seen(p)
        for name in words(p) & defined.keys():
            if p not in defined[name] and declared[name] & seen:
                users[name].add(p)
    return defined, users


def circles_of(paths, defined, users):
    """Returns circles of files: each file of a circle uses a function of the next. A
    page uses a file if it imports it."""
    edges = {}
    for p in paths:
        if p.endswith((".js", ".mjs")):
            edges[p] = {os.path.normpath(f"{os.path.dirname(p)}/{i}")
                        for i in IMPORT.findall(raw(p))}
    for name, places in defined.items():
        if len(places) == 1:
            for u in users[name]:
                edges.setdefault(u, set()).update(places)
    return components(edges)


def components(edges):
    """Returns strongly connected components of more than one node (Tarjan)."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for to in sorted(edges.get(node, ())):
            if to not in order:
                visit(to)
                low[node] = min(low[node], low[to])
            elif to in stack:
                low[node] = min(low[node], order[to])
        if low[node] == order[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for node in sorted(edges):
        if node not in order:
            visit(node)
    return sorted(found)


class Figure:
    """One row of the table; --list shows its `places`."""

    def __init__(self, key, name, value, ceiling, goal, places, of=""):
        self.key, self.name, self.value = key, name, value
        self.ceiling, self.goal, self.places, self.of = ceiling, goal, places, of

    def line(self):
        return (f"{self.name:46} {self.value:>8g} {self.ceiling:>8g} {self.goal:>6g}"
                f"  {self.of}".rstrip())


def percent(of, n):
    return round(100 * n / max(1, of), 1)


def figures():
    tree = Tree(files())
    for folder, n in sorted(folders_of(tree.paths).items()):
        if n > FILES or folder in FOLDERS:
            yield Figure("folders", f"files in {folder}", n, FOLDERS.get(folder, FILES),
                         FILES, [folder])
    tags = tags_of(tree)
    yield Figure("tags", "struct tags defined more than once", len(tags), TAGS, 0,
                 [f"{t}: {' '.join(ps)}" for t, ps in tags])
    headers = headers_of(tree)
    yield Figure("headers", "headers with one user", len(headers), HEADERS, 40,
                 [f"{h}: {u}" + " (and a test)" * t for h, u, t in headers],
                 f"of {len(tree.h)}")
    alone = [(h, u) for h, u, test in headers if not test]
    yield Figure("headers-untested", "headers with one user and no test", len(alone),
                 HEADERS_UNTESTED, 0, [f"{h}: {u}" for h, u in alone])
    defined, users = functions_of(tree)
    names = sorted(defined.keys() - tree.registered)
    few = [n for n in names if len(users[n]) <= 1]
    one = sum(len(users[n]) for n in few)
    share = functools.partial(percent, len(names))
    yield Figure("functions", "% extern functions with at most one other user",
                 share(len(few)), FUNCTIONS, 25,
                 [f"{n}: {' '.join(defined[n])} {' '.join(users[n]) or 'nobody'}"
                  for n in few],
                 f"{len(few)} of {len(names)}; one: {one}, "
                 f"{share(one):.1f} %; none: {len(few) - one}")
    tested = set().union(*map(words, tests()))
    untested = [n for n in few if n not in tested]
    yield Figure("functions-untested", "% of them that no test calls",
                 share(len(untested)), FUNCTIONS_UNTESTED, 25,
                 [f"{n}: {' '.join(defined[n])} {' '.join(users[n]) or 'nobody'}"
                  for n in untested],
                 f"{len(untested)}")
    circles = circles_of(tree.paths, defined, users)
    yield Figure("circles", "circles of files", len(circles), CIRCLES, 0,
                 [" ".join(c) for c in circles])


def main():
    shown = sys.argv[2] if sys.argv[1:2] == ["--list"] and len(sys.argv) > 2 else None
    found = list(figures())
    if shown:
        places = [p for f in found if f.key == shown for p in f.places]
        print("\n".join(places))
        return 0
    print(f"{'figure':46} {'today':>8} {'ceiling':>8} {'goal':>6}")
    for f in found:
        print(f.line())
    above = [f for f in found if f.value > f.ceiling]
    for f in above:
        print(f"structure: {f.name}: {f.value:g}, the ceiling is {f.ceiling:g} "
              f"('tests/lint/structure.sh . --list {f.key}' lists them)")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
