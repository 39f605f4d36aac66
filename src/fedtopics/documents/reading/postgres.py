"""Documents out of a PostgreSQL query, streamed in Arrow batches (extra `fedtopics[postgres]`)."""

import re
from collections.abc import Iterator

from fedtopics.documents.corpus import Document
from fedtopics.documents.reading.columns import Columns
from fedtopics.errors import InputError
from fedtopics.progress import bar


def from_postgres(url: str, query: str, columns: Columns, *, progress: bool | None) -> Iterator[Document]:
    """Rows of a query; a batch at a time is in memory."""
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise InputError(
            "a postgresql:// source needs the ADBC driver; install it with: pip install 'fedtopics[postgres]'"
        ) from None
    try:
        with dbapi.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute(query)
            batches = cursor.fetch_record_batch()
            found = columns.found_in(batches.schema, "the query's result")
            with bar("Reading rows", shown=progress) as shown:
                for batch in batches:
                    for row in batch.select(found.used).to_pylist():
                        yield found.document(row)
                    shown.advance(batch.num_rows)
    except dbapi.Error as error:
        raise InputError(f"PostgreSQL answered: {_without_password(str(error), url)}") from None


def _without_password(message: str, url: str) -> str:
    """The first line of a message, never with the URL's password in it."""
    secret = re.search(r"://[^:/@]*:([^@]+)@", url)
    first = " ".join(message.split())[:300]
    return first.replace(secret[1], "***") if secret else first
