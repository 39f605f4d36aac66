"""Small valid corpora in every format that `fedtopics.documents.reading` knows."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
from collections.abc import Callable

ROWS = [
    {"id": "1", "label": "a", "text": "Taxes and war. The law!"},
    {"id": "2", "label": "b", "text": "Wär is “law”, they don't say (tax) <b>so</b> &amp; l'été 戦争"},
    {"id": "3", "label": "", "text": ""},
]


def separated(mark: str) -> Callable[[], list[bytes]]:
    def made() -> list[bytes]:
        plain = mark.join(ROWS[0]) + "\n" + "".join(mark.join(row.values()) + "\n" for row in ROWS[:1])
        quoted = f'text{mark}id\r\n"Tax ""and""{mark} war\nlaw"{mark}7\r\n'
        return [plain.encode(), b"\xef\xbb\xbf" + quoted.encode()]

    return made


def json_lines() -> list[bytes]:
    return [b"".join(json.dumps(row).encode() + b"\n" for row in ROWS)]


def json_arrays() -> list[bytes]:
    return [json.dumps(ROWS).encode(), json.dumps([{"text": ["tax", "war", 5]}]).encode()]


def texts() -> list[bytes]:
    tagged = "<DOC>\n<DOCNO> 5 </DOCNO>\n<TEXT>\nTax and war.\n</TEXT>\n</DOC>\n"
    return [
        "".join(row["text"] + "\n" for row in ROWS).encode(),
        b"a\ttax war\nb\tlaw\n",
        tagged.encode() * 2,
    ]


def parquets() -> list[bytes]:
    import pyarrow
    from pyarrow import parquet

    made = []
    table = pyarrow.Table.from_pylist(ROWS)
    numbers = pyarrow.table(
        {"text": pyarrow.array(["tax war"] * 50).dictionary_encode(), "id": list(range(50))}
    )
    for content, compression in ((table, "snappy"), (numbers, "zstd"), (table, "none")):
        file = io.BytesIO()
        parquet.write_table(content, file, compression=compression)
        made.append(file.getvalue())
    return made


def compressed(kind: str) -> Callable[[], list[bytes]]:
    pack = {"gzip": lambda data: gzip.compress(data, mtime=0), "xz": lzma.compress, "bzip2": bz2.compress}[
        kind
    ]
    return lambda: [pack(data) for data in (*json_lines(), b'{"text": "tax"}\n' * 500)]


def uci() -> list[bytes]:
    return [b"2\n3\n4\n1 1 2\n1 3 1\n2 2 5\n2 3 1\n"]


def lda_c() -> list[bytes]:
    return [b"2 0:2 2:1\n1 1:5\n"]
