"""Documents out of a PostgreSQL query, streamed in Arrow batches (extra `fedtopics[postgres]`).

What the server says of a query is shown; what it says of values is not, for they may be documents.
"""

import re
from collections.abc import Iterator

from fedtopics.documents.corpus import Document
from fedtopics.documents.reading.arrow import arrow
from fedtopics.documents.reading.columns import Columns
from fedtopics.errors import InputError
from fedtopics.progress import bar

# Classes of SQLSTATE: connection, authorization, names, syntax and rights, resources, an end from outside.
OF_NO_VALUE = ("08", "28", "3D", "3F", "42", "53", "57")


def from_postgres(url: str, query: str, columns: Columns, *, progress: bool | None) -> Iterator[Document]:
    """Rows of a query; a batch at a time is in memory."""
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise InputError(
            "a postgresql:// source needs the ADBC driver; install it with: pip install 'fedtopics[postgres]'"
        ) from None
    try:
        connection = dbapi.connect(url)
    except dbapi.Error as error:
        raise InputError(f"PostgreSQL answered: {_without_password(str(error), url)}") from None
    try:
        with connection, connection.cursor() as cursor:
            cursor.execute(query)
            batches = cursor.fetch_record_batch()
            found = columns.found_in(batches.schema, "the query's result")
            with bar("Reading rows", shown=progress) as shown:
                for batch in batches:
                    for row in batch.select(found.used).to_pylist():
                        yield found.document(row)
                    shown.advance(batch.num_rows)
    except dbapi.Error as error:
        raise InputError(f"PostgreSQL answered: {_harmless(str(error), url)}") from None
    except (OSError, arrow("answers of PostgreSQL").ArrowException):
        raise InputError(f"PostgreSQL answered: {_hidden('in the middle of the rows')}") from None


def _harmless(message: str, url: str) -> str:
    """What the server said, where it is of the query and of no value in it."""
    found = re.search(r"SQLSTATE: (\w{5})", message)
    if found is not None and found[1].startswith(OF_NO_VALUE):
        return _without_password(message, url)
    return _hidden("without a code" if found is None else f"SQLSTATE {found[1]}")


def _hidden(what: str) -> str:
    return f"an error ({what}) that may show a document; type the query into psql to see it"


def shown_source(source: str) -> str:
    """The address of a database without its password, as records and pages may show it; others as they are.

    >>> shown_source("postgresql://ada:sesame@db/letters?password=sesame"), shown_source("letters.csv")
    ('postgresql://ada:***@db/letters?password=***', 'letters.csv')
    """
    if "://" not in source:
        return source
    return re.sub(r"([?&]password=)[^&]*", r"\1***", re.sub(r"(://[^:/@]*):[^/]*@", r"\1:***@", source))


def _without_password(message: str, url: str) -> str:
    """The first line of a message, never with the URL's password in it."""
    secret = re.search(r"://[^:/@]*:([^@]+)@", url)
    first = " ".join(message.split())[:300]
    return first.replace(secret[1], "***") if secret else first
