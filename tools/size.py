"""How large the house is: `python tools/size.py [REV]` counts the lines of src/, now or at a revision.

Code is what remains of Python without imports, docstrings, comments and blank lines.
"""

from __future__ import annotations

import ast
import io
import statistics
import subprocess
import sys
import tokenize

SOURCES = (".py", ".pyi", ".cpp", ".hpp", ".cu", ".cuh", ".html", ".css", ".js")
SAYING_NOTHING = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout


def code_lines(source: str) -> int:
    """Lines of Python that are neither imports, docstrings nor comments."""
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        said = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if said or isinstance(node, ast.Import | ast.ImportFrom):
            left_out |= set(range(node.lineno, (node.end_lineno or 0) + 1))
    used: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in SAYING_NOTHING:
            used |= set(range(token.start[0], token.end[0] + 1))
    return len(used - left_out)


if __name__ == "__main__":
    revision = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
    names = [
        name
        for name in git("ls-tree", "-r", "--name-only", revision, "src").split()
        if name.endswith(SOURCES)
    ]
    texts = {name: git("show", f"{revision}:{name}") for name in names}
    python = {name: text for name, text in texts.items() if name.endswith(".py")}
    lines = [text.count("\n") for text in python.values()]
    checks = sum(code_lines(text) for name, text in python.items() if "/checks/" in name)
    print(f"{revision}: {sum(text.count(chr(10)) for text in texts.values()):,} lines in {len(texts)} files")
    print(f"Python: {len(lines)} files, longest {max(lines)}, median {statistics.median(lines):g}")
    print(f"code: {sum(map(code_lines, python.values())):,} lines, {checks:,} of them in checks/")
