"""Make the word vectors of general English that come with the package (docs/how-to/general-english.md).

    git clone --bare https://github.com/OWNER/NAME MIRRORS/OWNER/NAME     # each repository of SOURCES
    python tools/general_english.py export MIRRORS TEXT
    python tools/general_english.py build TEXT FILE.npz

`export` writes the text files of each repository at its commit to a folder of TEXT; two dictionaries are
put beside them by hand (the page says how). `build` counts the words that stand within 10 words of each other
in a document, stop words left out, turns the counts into shifted positive pointwise mutual information,
factors that matrix by a truncated SVD, and rounds the vectors to the finest steps that fit the size.

The file holds `words` (bytes, joined by newlines, the most widespread first), `vectors` (int8, dimension x
word) and `scale`: the vectors are `vectors.T * scale`. The same text, libraries and threads give the same
file. Tables of 20,000 x 20,000 floats (1.6 GB each) are held, two or three at a time.
"""

import argparse
import html
import io
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence, Set
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.extmath import randomized_svd

from fedtopics.documents.text.stop_words import stop_words_for

Ids = NDArray[np.int32]
Floats = NDArray[np.float32]


FOMC = "src/collection/python/data"


class Source(NamedTuple):
    repository: str
    commit: str
    files: str


SOURCES = {
    "enwiki2018": Source("JohanMadsen/02807_Project", "acb54d6bfce2", r"Data/Dataset1/.*wiki_\d+$"),
    "simplewiki": Source("hudsonmiears/Automatic-Text-Selector", "8a9755705745", r"extracted/.*wiki_\d+$"),
    "enwiki2014": Source("ZhouYii/PatchedDistro", "961716d8a5a0", r"data/.*wiki_\d+$"),
    "fomc": Source(
        "jm4474/FOMCTextAnalysis", "0a039d9b197f", rf"{FOMC}/(transcript|minutes)_raw_text/.*\.txt$"
    ),
    "crec": Source("unitedstates/congressional-record", "84a5af4c689b", r"tests/test_files/.*\.htm$"),
    "medquad": Source("abachaa/MedQuAD", "577bd37b96c0", r"[1-9]_[^/]*/.*\.xml$"),
    "ldp": Source("tLDP/LDP", "ac2ab0648e67", r"LDP/(howto|guide)/.*\.(sgml|xml)$"),
}
# Special text is long for what it is: its counts weigh less than those of the encyclopedias.
WEIGHTS = {"enwiki2018": 1.0, "simplewiki": 1.0, "enwiki2014": 1.0, "fomc": 0.5, "crec": 0.5}
WEIGHTS |= {"medquad": 1.0, "ldp": 0.5, "foldoc": 0.5, "jargon": 0.5}
WORD = re.compile(r"[a-z]{2,}")
LONGEST = 20  # letters
SHORTEST_DOCUMENT = 20  # words
TAG = re.compile(r"<[^>]+>")
FREE = re.compile(
    r"GNU\s+Free\s+Doc|GFDL|creativecommons\.org/licenses/by(-sa)?/|CC[- ]BY(-SA)?\b", re.IGNORECASE
)
DOCUMENT, PARAGRAPH, FIRST_WORD = 0, 1, 2  # a stream of ids: ends of documents and paragraphs, then words
PASSAGE = 100  # words, about
BLOCK = 6_000_000  # ids counted at once
N_WORDS, N_DIMENSIONS, WINDOW = 20_000, 250, 10
SMOOTHING, SHIFT, POWER = 0.75, 1.5, 0.5  # of contexts' totals; of the information; of singular values
MOST_BYTES = 1_880_000


def export(mirrors: Path, text: Path) -> None:
    """Write the text files of the repositories."""
    for folder, source in SOURCES.items():
        git = ["git", "-C", str(mirrors / source.repository)]
        command = [*git, "ls-tree", "-r", source.commit]
        listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        entries = [line.split("\t") for line in listing.splitlines()]
        files = [(fields.split()[2], path) for fields, path in entries if re.match(source.files, path)]
        blobs = "".join(f"{blob}\n" for blob, _ in files).encode()
        answer = subprocess.run([*git, "cat-file", "--batch"], input=blobs, capture_output=True, check=True)
        batch = io.BytesIO(answer.stdout)
        for _, path in files:
            size = int(batch.readline().split()[2])
            target = text / folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(batch.read(size))
            batch.read(1)
        print(f"{folder}: {len(files)} files", flush=True)


def wiki_documents(path: Path) -> Iterator[list[str]]:
    """Articles of a file of wikiextractor, each as a list of lines."""
    lines: list[str] = []
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("<doc "):
                lines = []
            elif line.startswith("</doc"):
                yield lines
            else:
                lines.append(line)


def medquad_documents(path: Path) -> Iterator[list[str]]:
    """The answers of one page, as one document."""
    answers = re.findall(r"<Answer>(.*?)</Answer>", content(path), re.DOTALL)
    yield [html.unescape(answer) for answer in answers]


def text_documents(path: Path) -> Iterator[list[str]]:
    """One file, one document; paragraphs end at blank lines; tags are dropped."""
    yield [html.unescape(TAG.sub(" ", part)) for part in re.split(r"\n\s*\n", content(path))]


READERS: dict[str, Callable[[Path], Iterator[list[str]]]] = {
    "enwiki2018": wiki_documents,
    "simplewiki": wiki_documents,
    "enwiki2014": wiki_documents,
    "medquad": medquad_documents,
}


def content(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def text_files(folder: Path) -> list[Path]:
    """The files of a source in a fixed order; of the LDP only works that name a free license."""
    files = sorted((path for path in folder.rglob("*") if path.is_file()), key=Path.as_posix)
    if folder.name != "ldp":
        return files
    works: dict[tuple[str, ...], list[Path]] = {}
    for path in files:
        work = path.relative_to(folder).parts[:4]  # LDP/howto/docbook/Name[/file]
        works.setdefault(work, []).append(path)
    free = (work for work in works.values() if any(FREE.search(content(path)) for path in work))
    return [path for work in free for path in work]


def read_source(folder: Path, stop_words: Set[str], ids: dict[str, int]) -> Ids:
    """The source as a stream of ids; `ids` gains the words that are new. Short documents are dropped."""
    documents = READERS.get(folder.name, text_documents)
    parts = []
    for path in text_files(folder):
        stream: list[int] = []
        for document in documents(path):
            start, n_words = len(stream), 0
            for paragraph in document:
                found = [
                    ids.setdefault(word, len(ids) + FIRST_WORD)
                    for word in WORD.findall(paragraph.lower())
                    if len(word) <= LONGEST and word not in stop_words
                ]
                if found:
                    stream += [*found, PARAGRAPH]
                    n_words += len(found)
            if n_words < SHORTEST_DOCUMENT:
                del stream[start:]
            else:
                stream.append(DOCUMENT)
        parts.append(np.array(stream, np.int32))
    return np.concatenate(parts)


def passages(stream: Ids) -> NDArray[np.int64]:
    """Passage of each id: paragraphs of a document joined until they have `PASSAGE` words, long ones cut."""
    numbers = np.zeros(len(stream), np.int64)
    current = n_words = start = 0
    for end in np.flatnonzero(stream < FIRST_WORD).tolist():
        length = end - start
        if length > 2 * PASSAGE:
            current += n_words > 0
            cuts = length // PASSAGE
            numbers[start:end] = current + np.minimum(np.arange(length) // PASSAGE, cuts - 1)
            current, n_words = current + cuts, 0
        else:
            numbers[start:end] = current
            n_words += length
            if n_words >= PASSAGE:
                current, n_words = current + 1, 0
        if stream[end] == DOCUMENT and n_words:
            current, n_words = current + 1, 0
        start = end + 1
    return numbers


def spread(stream: Ids, n_ids: int) -> NDArray[np.int64]:
    """Number of passages that each id is in."""
    word = stream >= FIRST_WORD
    numbers = passages(stream)[word]
    ones = np.ones(len(numbers), np.float32)
    table = sp.csr_matrix((ones, (numbers, stream[word])), shape=(numbers.max() + 1, n_ids))
    table.sum_duplicates()
    return np.bincount(table.indices, minlength=n_ids)


def add_neighbors(counts: Floats, stream: Ids, column: Ids, weight: float) -> None:
    """Add the weight to `counts` for each two known words within `WINDOW` known words of a document."""
    flat = counts.reshape(-1)
    for begin in range(0, len(stream), BLOCK):
        block = stream[begin : begin + BLOCK]
        document = np.cumsum(block == DOCUMENT)
        words = np.where(block >= FIRST_WORD, column[block], -1)
        known = words >= 0
        words, document = words[known].astype(np.int64), document[known]
        for distance in range(1, WINDOW + 1):
            same = document[distance:] == document[:-distance]
            keys = words[:-distance][same] * len(counts) + words[distance:][same]
            keys.sort()
            first = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
            flat[keys[first]] += np.float32(weight) * np.diff(np.r_[first, len(keys)])


def shifted_information(counts: Floats) -> Floats:
    """max(log(count / expected) + SHIFT, 0) in place, contexts' totals to the power SMOOTHING; symmetric."""
    counts += counts.T.copy()
    np.fill_diagonal(counts, 0)
    total = np.maximum(counts.sum(1, dtype=np.float64), 1)
    context = total**SMOOTHING
    context *= total.sum() / context.sum()
    with np.errstate(divide="ignore"):
        counts *= np.float32(total.sum())
        counts /= total.astype(np.float32)[:, None]
        counts /= context.astype(np.float32)[None]
        np.log(counts, out=counts)
    counts += np.float32(SHIFT)
    np.maximum(counts, 0, out=counts)
    counts += counts.T.copy()
    counts *= np.float32(0.5)
    return counts


def rounded(vectors: Floats, words: Sequence[str]) -> bytes:
    """The file: vectors of length one in steps of one size, the finest of a few that fits."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    spelled = np.frombuffer("\n".join(words).encode(), np.uint8)
    for part in np.arange(0.10, 2.0, 0.05):
        step = np.float32(part * np.sqrt(np.mean(unit**2)))
        table = np.clip(np.rint(unit / step), -127, 127).astype(np.int8).T.copy()
        buffer = io.BytesIO()
        np.savez_compressed(buffer, words=spelled, vectors=table, scale=step)
        if len(buffer.getvalue()) <= MOST_BYTES:
            return buffer.getvalue()
    raise ValueError(f"no step is coarse enough for {MOST_BYTES} bytes")


def build(text: Path, target: Path, stop_words: Set[str]) -> None:
    """Text files to the file of vectors."""
    ids: dict[str, int] = {}
    streams = {name: read_source(text / name, stop_words, ids) for name in WEIGHTS}
    n_ids = len(ids) + FIRST_WORD
    frequency = np.sum([spread(stream, n_ids) for stream in streams.values()], axis=0)
    chosen = np.argsort(-frequency, kind="stable")[:N_WORDS]
    spelling = list(ids)
    column = np.full(n_ids, -1, np.int32)
    column[chosen] = np.arange(N_WORDS)
    counts = np.zeros((N_WORDS, N_WORDS), np.float32)
    for name, stream in streams.items():
        add_neighbors(counts, stream, column, WEIGHTS[name])
        print(
            f"{name}: {np.sum(stream == DOCUMENT)} documents, {np.sum(stream >= FIRST_WORD)} words",
            flush=True,
        )
    left, values, _ = randomized_svd(
        shifted_information(counts), N_DIMENSIONS, n_oversamples=20, n_iter=3, random_state=0
    )
    data = rounded(left * values**POWER, [spelling[number - FIRST_WORD] for number in chosen])
    target.write_bytes(data)
    print(f"{target}: {len(data):,} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=("export", "build"))
    parser.add_argument("source", type=Path, help="MIRRORS or TEXT")
    parser.add_argument("target", type=Path, help="TEXT or FILE.npz")
    parser.add_argument(
        "--stop-words", type=Path, help="a file of words instead of the package's English list"
    )
    args = parser.parse_args()
    if args.command == "export":
        export(args.source, args.target)
    else:
        own = args.stop_words and frozenset(args.stop_words.read_text(encoding="utf-8").split())
        build(args.source, args.target, own or stop_words_for("en"))


if __name__ == "__main__":
    main()
