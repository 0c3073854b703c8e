"""dialect.py - counts words that the project does not use; dialect.sh starts it.

    dialect.py [--list [PATH]]

dialect.txt lists the words and what to write instead. They are counted per top-level
folder, in prose and in names. Prose is comments, quoted texts, Markdown, descriptions
of schemas, and pages; each occurrence counts. Names are identifiers, fields and file
names; each different name counts once. The program exits with 1 if a count is above its
ceiling. --list prints the occurrences below PATH.

It does not read recorded inputs and expected outputs of tests, migrations (a released
migration never changes), files that npm generates, and licenses.
"""
import fnmatch
import functools
import io
import json
import os
import re
import sys
import tokenize

HERE = os.path.dirname(os.path.abspath(__file__))

# No word of the list occurs today, so the ceiling of every folder is 0.
FOLDERS = (".", "collector", "docker", "include", "server", "sql", "tests", "web")
PROSE = NAMES = dict.fromkeys(FOLDERS, 0)
# The number of allowed words is limited, so that exceptions stay rare.
ALLOWED = 30

SKIPPED = re.compile(
    r"^tests/(.*/)?(corpus|data)/|^tests/traces/[^/]+/|^tests/lint/dialect|^sql/migrations/"
    r"|package-lock\.json$|LICENSE|\.(txt|csv|gz|zst|map|dict|svg|sha256|kst)$")
C_LIKE = (".c", ".h", ".def", ".js", ".mjs", ".css", ".cu", ".cuh")
TOKEN = re.compile(
    r'(?P<comment>/\*.*?\*/|(?<![:"\'])//[^\n]*)'
    r'|(?P<text>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`)', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[^\n]*', re.M)
HASH = re.compile(r"(?:^|(?<=\s))#[^\n]*|\"(?:\\.|[^\"\\])*\"|'[^']*'", re.M)
SQL = re.compile(r"--[^\n]*|'(?:''|[^'])*'|/\*.*?\*/", re.S)
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# A word in a text that is not a name: names in texts have a "_".
LONE = re.compile(r"\b[A-Za-z]+\b")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Words:
    """The words of dialect.txt as two regular expressions, one for prose and one for
    names."""

    def __init__(self, path):
        self.allowed = []
        lists = {"prose": [], "name": []}
        with open(path, encoding="utf-8") as f:
            for line in f:
                kind, _, rest = line.strip().partition(" ")
                if kind in lists:
                    pattern, _, instead = rest.partition(" = ")
                    lists[kind].append((pattern.strip(), instead.strip()))
                elif kind == "allow":
                    glob, pattern = rest.split("#")[0].split()
                    self.allowed.append(
                        (glob, re.compile(pattern.replace("_", r"\s+"), re.I)))
        self.prose = self.joined([(p.replace("_", r"[\s*#/]+"), i)
                                  for p, i in lists["prose"]], r"\b(?:%s)\b", re.I)
        # A pattern with several words is searched in the whole name.
        self.name = self.joined(lists["name"], r"(?:^|_)(?:%s)(?=_|$)", re.I)

    @staticmethod
    def joined(rows, frame, flags):
        table = {f"w{i}": instead for i, (_, instead) in enumerate(rows)}
        body = "|".join(f"(?P<w{i}>{p})" for i, (p, _) in enumerate(rows))
        return re.compile(frame % body, flags), table

    def allows(self, path, text):
        return any(fnmatch.fnmatch(path, glob) and pattern.fullmatch(text)
                   for glob, pattern in self.allowed)


def files(root="."):
    for at, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders
                            if f not in ("build", ".git", "node_modules", "__pycache__"))
        for n in sorted(names):
            path = os.path.relpath(f"{at}/{n}", root)
            if not SKIPPED.search(path):
                yield path


def blank(text):
    """Returns spaces of the text's length; line ends stay, so that line numbers are
    right."""
    return re.sub(r"[^\n]", " ", text)


def parts(pattern, text, group=None):
    """Returns (prose, rest): the text that the pattern matches, and the other text. In
    each, spaces replace the other. If `group` did not match, names also stay in the
    rest."""
    prose, rest, end = [], [], 0
    for m in pattern.finditer(text):
        between = text[end:m.start()]
        prose += [blank(between), m[0]]
        rest += [between, blank(m[0]) if group is None or m[group] else
                 LONE.sub(lambda word: blank(word[0]), m[0])]
        end = m.end()
    return "".join(prose) + blank(text[end:]), "".join(rest) + text[end:]


def python(text):
    """Splits Python into prose and names. A string is prose; of its words, only those
    with a "_" are also names, as in C. For example, "at least" in a docstring is not a
    name."""
    prose = [list(blank(line)) for line in text.splitlines(True)]
    names = [list(line) for line in text.splitlines(True)]
    try:
        for t in tokenize.generate_tokens(io.StringIO(text).readline):
            if t.type not in (tokenize.COMMENT, tokenize.STRING):
                continue
            for i, line in enumerate(t.string.splitlines()):
                row, at = t.start[0] - 1 + i, t.start[1] if i == 0 else 0
                prose[row][at:at + len(line)] = line
                names[row][at:at + len(line)] = blank(line) \
                    if t.type == tokenize.COMMENT else \
                    LONE.sub(lambda word: blank(word[0]), line)
    except (tokenize.TokenError, IndentationError, SyntaxError):
        pass
    return tuple("".join(map("".join, lines)) for lines in (prose, names))


def markdown(text):
    fenced = re.sub(r"(?ms)^```.*?^```|^ {4}[^\n]*|`[^`\n]*`|\]\([^)]*\)",
                    lambda m: blank(m[0]), text)
    return fenced, ""


def schema(text):
    """Descriptions are prose, keys are names."""
    pattern = re.compile(r'"(?:description|title|summary)"\s*:\s*"(?:\\.|[^"\\])*"')
    return parts(pattern, text)


@functools.lru_cache(None)
def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except (OSError, UnicodeDecodeError):
        return ""


def split(path, text):
    """Returns (prose, code) of a file; both keep the line numbers of the file."""
    ending = os.path.splitext(path)[1]
    if ending in C_LIKE:
        text = INCLUDE.sub(lambda m: blank(m[0]), text)
        return parts(TOKEN, text, "comment")
    if ending == ".py" or text.startswith("#!/usr/bin/python3"):
        return python(text)
    if ending == ".md":
        return markdown(text)
    if ending == ".json":
        return schema(text)
    if ending == ".html":
        return re.sub(r"<[^>]*>", lambda m: blank(m[0]), text), text
    if ending == ".sql":
        return parts(SQL, text)
    return parts(HASH, text)


class Findings:
    def __init__(self, words):
        self.words = words
        self.prose, self.names, self.places = {}, {}, []

    def look(self, path):
        top = path.split("/")[0] if "/" in path else "."
        text = read(path)
        prose, code = split(path, text)
        pattern, instead = self.words.prose
        for m in pattern.finditer(prose):
            if not self.words.allows(path, m[0]):
                self.prose[top] = self.prose.get(top, 0) + 1
                line = prose.count("\n", 0, m.start()) + 1
                self.places.append((path, line, " ".join(m[0].split()),
                                    instead[m.lastgroup]))
        self.look_at_names(top, path, code)

    def look_at_names(self, top, path, code):
        pattern, instead = self.words.name
        there = self.names.setdefault(top, {})
        spots = {os.path.splitext(os.path.basename(path))[0]: 0}
        for m in IDENTIFIER.finditer(code):
            spots.setdefault(m[0], m.start())
        for name, at in spots.items():
            m = pattern.search(CAMEL.sub("_", name))
            if m and name not in there and not self.words.allows(path, m[0].strip("_")):
                there[name] = path
                self.places.append((path, code.count("\n", 0, at) + 1, name,
                                    instead[m.lastgroup]))


def listed(found, below):
    for path, line, text, instead in sorted(found.places):
        if path.startswith(below):
            print(f"{path}:{line}: '{text}' ({instead})")
    return 0


def main():
    words = Words(f"{HERE}/dialect.txt")
    found = Findings(words)
    for path in files():
        found.look(path)
    if sys.argv[1:2] == ["--list"]:
        return listed(found, "".join(sys.argv[2:3]))
    failed = len(words.allowed) > ALLOWED
    if failed:
        print(f"dialect.txt: {len(words.allowed)} lines allow words, at most {ALLOWED} may")
    print(f"{'folder':14} {'prose':>6} {'ceiling':>8} {'names':>6} {'ceiling':>8}")
    tops = sorted(set(found.prose) | {t for t, n in found.names.items() if n})
    for top in tops:
        n, m = found.prose.get(top, 0), len(found.names.get(top, {}))
        print(f"{top:14} {n:6} {PROSE.get(top, 0):8} {m:6} {NAMES.get(top, 0):8}")
        for what, count, ceiling in (("prose", n, PROSE.get(top, 0)),
                                     ("names", m, NAMES.get(top, 0))):
            if count > ceiling:
                print(f"dialect: {top}: {what} {count}, the ceiling is {ceiling} "
                      "('tests/lint/dialect.sh . --list' lists them)")
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
