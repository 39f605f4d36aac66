"""Clinical notes of a hospital's OMOP database, which know their patients.

The OMOP Common Data Model (version 5.3 and later; https://ohdsi.github.io/CommonDataModel) keeps notes in the
table `note`. A source is the address of its PostgreSQL server with `omop+` in front, behind it the schema,
and that of the table `concept` where it is another:

    omop+postgresql://reader@db.example.org/hospital?schema=cdm&vocabulary=vocab

A document is a note: its text the columns `note_title` and `note_text`, its id `note_id`, its person
`person_id`, its label the name of the note's class. `care_site_id`, `provider_id`, `note_type` and
`note_date` can be named as party or label too. A query is the condition that notes have to meet, such as
`note_date >= '2020-01-01'`.
"""

import re
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from fedtopics.documents.reading.columns import Columns
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError

PREFIX = "omop+"
PERSON = "person_id"
USUAL = Columns(text=("note_title", "note_text"), id="note_id", label="note_class", person=PERSON)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
_QUERY = """
select * from (
  select n.note_id::text, n.person_id::text, n.note_date::text, n.note_title, n.note_text,
    coalesce(of_class.concept_name, n.note_class_concept_id::text) as note_class,
    coalesce(of_type.concept_name, n.note_type_concept_id::text) as note_type,
    n.provider_id::text, v.care_site_id::text
  from {schema}.note n
  left join {vocabulary}.concept of_class on of_class.concept_id = n.note_class_concept_id
  left join {vocabulary}.concept of_type on of_type.concept_id = n.note_type_concept_id
  left join {schema}.visit_occurrence v on v.visit_occurrence_id = n.visit_occurrence_id
) notes where {condition} order by note_id
"""


def is_omop(source: object) -> bool:
    """Whether a source is the address of such a database."""
    return isinstance(source, str) and source.startswith(PREFIX)


def located(source: str, columns: Columns, condition: str | None) -> tuple[str, str, Columns]:
    """The address of the server, the query for the notes, and the columns to read.

    >>> located("omop+postgresql://reader@db/hospital?schema=cdm", Columns(), None)[0]
    'postgresql://reader@db/hospital'
    """
    parts = urlsplit(source.removeprefix(PREFIX))
    options = dict(parse_qsl(parts.query))
    schema = options.pop("schema", "public")
    vocabulary = options.pop("vocabulary", schema)
    if parts.scheme not in ("postgresql", "postgres"):
        raise InputError("expected omop+postgresql://user@host/database?schema=NAME, got another address")
    if wrong := next((name for name in (schema, vocabulary) if not _NAME.fullmatch(name)), None):
        raise InputError(f"expected the name of a schema of letters and digits, got {quoted(wrong)}")
    asked = {name: column for name, column in vars(columns).items() if column}
    address = urlunsplit(parts._replace(query=urlencode(options)))
    query = _QUERY.format(schema=schema, vocabulary=vocabulary, condition=condition or "true")
    return address, query, replace(USUAL, **asked)
