"""A statement has the fields and values of the registry, says what the ledger says, and no exact number."""

from __future__ import annotations

import datetime
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from reported import small_data, small_run
from typer.testing import CliRunner

from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.report.statement import Filing, statement
from fedtopics.report.statement_page import statement_page
from fedtopics.report.yaml_text import yaml_text
from fedtopics.runs.experiment import train
from fedtopics.runs.run import Run

# What the registry asks for: opendp/deployments-registry-data, schemas/deployments-schema.yaml, at 3e9c812.
FIELDS: dict[str, dict[str, int]] = {  # of each part, with the tier that asks for it
    "basic": dict.fromkeys(
        ("name", "data_curators", "intended_use", "data_product_type", "data_product_region", "description"),
        1,
    )
    | {"publication_date": 1, "data_product_sector": 1},
    "dp_variant": {"variant_name": 2, "data_domain": 3, "unprotected_quantities": 3},
    "privacy_loss": {
        "privacy_unit": 2,
        "privacy_unit_details": 3,
        "privacy_parameters": 2,
        "privacy_parameters_details": 3,
    },
    "deployment_model": {
        **{
            "model_name": 2,
            "model_name_details": 3,
            "actors": 3,
            "release_type": 2,
            "release_type_details": 3,
        },
        **{"data_source_type": 2, "data_source_type_details": 3, "access_type": 2, "access_type_details": 3},
    },
    "accounting": {"post_processing": 3, "composition": 3},
    "implementation": {"preprocessing_and_hyperparameter_tuning": 3, "mechanisms": 3, "justification": 3},
    "administrative": {"notes": 1, "registry_authors": 1},
}
OPTIONAL = {"data_product_sector"}
VALUES = {
    "data_product_type": {"Summary statistics", "Machine learning model", "Dataset", "Synthetic data"},
    "variant_name": {"Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"},
    "model_name": {"Local", "Central", "Shuffle", "Federated", "Varies"},
    "release_type": {"One release", "Many releases"},
    "data_source_type": {"Static", "Dynamic"},
    "access_type": {"Interactive", "Non-interactive"},
    "data_product_sector": {"Technology", "Healthcare", "Education", "Government", "Energy", "Finance"},
}


def check(told: dict[str, Any]) -> None:
    """What the registry would refuse."""
    assert told.keys() == {"url_slug", "status", "tier", "deployment"}
    assert (told["status"], told["tier"]) == ("Draft", 3)
    assert re.fullmatch(r"[a-z0-9-]+", told["url_slug"])
    assert told["deployment"].keys() == FIELDS.keys()
    for part, fields in FIELDS.items():
        found = told["deployment"][part]
        assert fields.keys() - OPTIONAL <= found.keys() <= fields.keys()
        assert all(value for value in found.values()), part
        for name, allowed in VALUES.items():
            assert found.get(name) in {None, *allowed}
    basic, loss = told["deployment"]["basic"], told["deployment"]["privacy_loss"]
    assert isinstance(basic["publication_date"], str)
    datetime.date.fromisoformat(basic["publication_date"])
    assert all(isinstance(name, str) for name in basic["data_curators"])
    assert loss["privacy_parameters"].keys() <= {"epsilon", "delta"}
    assert all(isinstance(number, float) for number in loss["privacy_parameters"].values())


def stated(run: Run, **filing: Any) -> dict[str, Any]:
    """The statement of a run as who reads the file gets it."""
    text = yaml_text(statement(run, Filing(**filing)))
    styles = {token.style for token in yaml.scan(text) if hasattr(token, "style")}
    assert styles <= {None, '"', "|"}  # the registry takes no other
    found: dict[str, Any] = yaml.safe_load(text)
    check(found)
    return found["deployment"]


def as_federated(run: Run) -> Run:
    """The run as if it had been one of machines whose parties have signed."""
    parties = [{"name": p["name"], "n_answers": 6, "attested": True} for p in run.record["parties"]]
    return replace(run, record=run.record | {"engine": "https", "parties": parties, "noise": "secure"})


REGISTRY = os.environ.get("FEDTOPICS_REGISTRY", "")  # a checkout of opendp/deployments-registry-data


@pytest.mark.skipif(not REGISTRY, reason="FEDTOPICS_REGISTRY names no checkout of the registry")
@pytest.mark.parametrize("method", ["calm", "hush", "lplda", "fedlda", "ftm", "pctd"])
def test_the_registry_itself_takes_it(method: str) -> None:
    """Its own schema, which may be newer than the one that is copied above."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = yaml.safe_load((Path(REGISTRY) / "schemas" / "deployments-schema.yaml").read_text())
    parts = schema["properties"]["deployment"]["properties"]
    assert {part: fields.keys() <= parts[part]["properties"].keys() for part, fields in FIELDS.items()} == (
        dict.fromkeys(FIELDS, True)
    )
    checker = jsonschema.Draft7Validator(schema, format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER)
    run = train(small_data(), method, n_topics=4, n_rounds=3)
    for made in (run, as_federated(run)):
        told = yaml.safe_load(yaml_text(statement(made, Filing(sector="Government"))))
        assert [error.message for error in checker.iter_errors(told)] == []


def test_a_word_is_stated_with_what_it_does_not_compare_with() -> None:
    told = stated(small_run(epsilon=2.0))
    loss = told["privacy_loss"]
    assert (told["dp_variant"]["variant_name"], loss["privacy_parameters"]) == ("Pure DP", {"epsilon": 2.0})
    assert loss["privacy_unit"] == "one word of one document"
    assert "one word of one document is there or is not" in loss["privacy_unit_details"]
    details = loss["privacy_parameters_details"]
    assert "compares with no epsilon of a person or a document" in details
    assert "In one word: partly protected." in details
    assert "from 1 in 2 to 88.1 %" in details
    assert "no bound (document add/remove)" in details
    mechanisms = told["implementation"]["mechanisms"]
    assert "Discrete Laplace noise, Pr[z] ~ e^(-2 |z|)" in mechanisms
    for said in ("Floating point: ", "Timing: no measure", "fedtopics 0", "FROM A SEED"):
        assert said in mechanisms
    assert "5 of 6 releases of a party are computed from" in told["accounting"]["post_processing"]
    assert "READ FROM" not in told["dp_variant"]["unprotected_quantities"]
    assert "the number of documents of each party" in told["dp_variant"]["unprotected_quantities"]


def test_a_document_has_its_delta_and_hides_the_number_of_documents() -> None:
    told = stated(train(small_data(), "hush", n_topics=4, n_rounds=4))
    assert told["dp_variant"]["variant_name"] == "Approximate DP"
    assert told["privacy_loss"]["privacy_parameters"] == {
        "epsilon": pytest.approx(8.0, abs=1e-3),
        "delta": 1e-6,
    }
    assert "the number of documents" not in told["dp_variant"]["unprotected_quantities"]
    assert "compares with no epsilon of a person" in told["privacy_loss"]["privacy_parameters_details"]
    assert "Discrete Gaussian noise of" in told["implementation"]["mechanisms"]


def test_only_a_federation_of_machines_is_called_one() -> None:
    run = small_run(epsilon=2.0)
    assert stated(run)["deployment_model"]["model_name"] == "Central"
    assert "trusted with the documents of all" in stated(run)["deployment_model"]["actors"]
    told = stated(as_federated(run))
    assert told["deployment_model"]["model_name"] == "Federated"
    assert "The coordinator: not trusted" in told["deployment_model"]["actors"]
    assert "2 of 2 parties have signed" in told["accounting"]["composition"]


def test_tuning_that_is_not_accounted_for_is_called_so() -> None:
    told = stated(small_run(epsilon=2.0), tuning="Chosen on public speeches.")["implementation"]
    assert "no privacy loss of choosing settings or of trying other runs is accounted for" in str(told)
    assert "Said by who files this: Chosen on public speeches." in str(told)
    words = small_run(epsilon=2.0)
    read = replace(words, record=words.record | {"vocabulary": "read from the documents"})
    assert "READ FROM THE DOCUMENTS" in stated(read)["dp_variant"]["unprotected_quantities"]


def test_simulated_noise_is_not_to_be_filed_and_no_bound_is_no_statement() -> None:
    told = stated(small_run(epsilon=2.0), name="Topics")
    assert told["basic"]["name"] == "Topics (simulation: protects nobody)"
    assert told["administrative"]["notes"].startswith("NOT TO BE FILED")
    assert "NOT TO BE FILED" not in stated(as_federated(small_run(epsilon=2.0)))["administrative"]["notes"]
    for method in ("shared", "alone"):
        with pytest.raises(InputError, match="there is no guarantee to state"):
            statement(small_run(method, None), Filing())


def test_a_statement_holds_no_exact_number_of_documents() -> None:
    run = small_run(epsilon=2.0)
    text = yaml_text(statement(run, Filing())) + statement_page(statement(run, Filing()))
    for party in run.record["parties"]:
        assert str(party["n_tokens"]) not in text
        assert f"{party['n_tokens']:,}" not in text
    assert repr(run.scores["perplexity"]) not in text
    assert "planted" not in text  # what the source is called


def test_the_page_says_the_same_in_the_order_of_the_pyramid() -> None:
    told = statement(small_run(epsilon=2.0), Filing(name="<b>Topics</b>", use="To plan & read"))
    page = statement_page(told)
    places = [
        page.index(f">{title}<") for title in ("1. The guarantee", "2. What may undermine it", "3. The data")
    ]
    assert places == sorted(places)
    assert "&lt;b&gt;Topics&lt;/b&gt;" in page
    assert "<b>Topics</b>" not in page
    assert "Not to be filed." in page
    for text in (
        "compares with no epsilon of a person",
        "Timing: no measure",
        "To plan &amp; read",
        "SP 800-226",
    ):
        assert text in page
    assert "http" not in re.sub(r"http-equiv|http://www\.w3\.org/\S+", "", page)


@given(
    st.dictionaries(
        st.sampled_from("abcdef"),
        st.one_of(
            st.text(max_size=30),
            st.text(st.sampled_from("ab :#-|>'\"\n\t\\\u2028\x85\x07é"), max_size=12),
            st.floats(allow_nan=False, allow_infinity=False),
            st.integers(0, 9),
            st.lists(st.text(max_size=9), min_size=1, max_size=3),
        ),
        min_size=1,
    )
)
def test_any_text_and_number_comes_back_from_yaml(data: dict[str, Any]) -> None:
    assert yaml.safe_load(yaml_text({"deployment": data})) == {"deployment": data}


def test_the_command_writes_both_and_overwrites_nothing(tmp_path: Path) -> None:
    small_run(epsilon=2.0).save(tmp_path / "run")
    out, page = tmp_path / "statement.yaml", tmp_path / "statement.html"
    given = ["statement", str(tmp_path / "run"), "--sector", "Government", "--curator", "Archive"]
    written = CliRunner().invoke(app, [*given, "--out", str(out), "--page", str(page)])
    assert written.exit_code == 0, written.output
    found = yaml.safe_load(out.read_text())
    check(found)
    assert found["deployment"]["basic"]["data_curators"] == ["Archive"]
    assert found == yaml.safe_load(CliRunner().invoke(app, given).stdout)
    assert "Privacy statement" in page.read_text()
    for more, complaint in (
        (["--out", str(out)], "nothing is overwritten"),
        (["--date", "31.1.2026"], "a day as 2026-01-31"),
        (["--sector", "Sports"], "must be one of Technology"),
    ):
        refused = CliRunner().invoke(app, [*given[:2], *more])
        assert isinstance(refused.exception, InputError)
        assert complaint in str(refused.exception)
