"""What cannot be reached is refused; audits are computed, and commands print them."""

import json
from math import inf, log

import numpy as np
import pytest
from typer.testing import CliRunner

from fedtopics.audit.claims import audit, recover_counts
from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.calibration import calibrate
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.price.ledger import Ledger


def test_known_calibrations():
    assert calibrate("histogram", "word add/remove", 6.0, n_words=100) == pytest.approx(6.0, rel=1e-6)
    sigma = calibrate("gaussian counts", "word add/remove", 8.0, 1e-5, n_words=100, grid=16)
    assert sigma == pytest.approx(0.60, abs=0.02)


def test_what_cannot_be_reached_is_refused():
    with pytest.raises(InputError, match="set public bounds"):
        calibrate("histogram", "document add/remove", 6.0, n_words=100)
    with pytest.raises(InputError, match="a delta above 0"):
        calibrate("clipped sum", "document add/remove", 6.0)
    with pytest.raises(InputError, match="mechanism must be one of"):
        calibrate("send it raw", "word replace", 1.0)
    with pytest.raises(InputError, match="relation must be one of"):
        calibrate("histogram", "sentence", 1.0, n_words=5)
    for bad in (float("nan"), inf, -1.0, 0.0):
        with pytest.raises(InputError, match="epsilon must be"):
            calibrate("histogram", "word replace", bad, n_words=5)
    with pytest.raises(InputError, match="missing a required argument: 'kept'"):
        calibrate("truncated response", "word replace", 1.0, n_words=5)
    with pytest.raises(InputError, match="at least one round"):
        calibrate("histogram", "word replace", 1.0, rounds=0, n_words=5)


def test_audit_computes_the_known_numbers():
    findings = audit()
    rrp = {f.figures["epsilon"]: f.figures["delta"] for f in findings if f.method == "FedLDA (RRP)"}
    assert rrp == {7.5: pytest.approx(0.953, abs=5e-4), 5.0: pytest.approx(0.638, abs=5e-4)}
    by_method = {finding.method: finding.figures for finding in findings}
    assert by_method["PC-TD"]["word add/remove"] == pytest.approx(380, abs=1)
    assert by_method["PC-TD"]["word replace"] == pytest.approx(702, abs=1)
    proved = {finding.method: finding.proved for finding in findings}
    assert "none where they are n-grams" in proved["PC-TD"]
    assert by_method["FedLDA (rounds)"] == {"per round": 787.5, "all rounds": 47_250}
    assert by_method["LP-LDA"]["bit"] == pytest.approx(log(19))
    assert by_method["LP-LDA"]["document replace"] == pytest.approx(200 * log(19))
    assert by_method["FTM, iFTM"] == {"word replace": 16}
    normalized = by_method["FTM (topic-wise normalization)"]
    assert normalized["topics recovered"] == normalized["topics"] == 15


def test_counts_are_recovered_where_the_smallest_is_not_one():
    counts = [[4, 6, 9, 0], [10, 3, 1, 7]]
    shares = [[value / sum(row) for value in row] for row in counts]
    assert recover_counts(np.array(shares)).tolist() == counts


def test_commands_print_what_is_computed(tmp_path):
    runner = CliRunner()
    audit_text = runner.invoke(app, ["audit-claims", "--json"])
    assert audit_text.exit_code == 0
    assert len(json.loads(audit_text.output)) == len(audit())
    chosen = runner.invoke(app, ["calibrate", "histogram", "--epsilon", "12", "--relation", "word replace"])
    assert "epsilon 6: 1 fresh release costs at most epsilon 12 (word replace)" in chosen.output
    ledger = Ledger()
    ledger.charge("a", 0, Histogram(6.0, 10).price())
    (tmp_path / "ledger.json").write_text(ledger.to_json())
    shown = runner.invoke(app, ["ledger", str(tmp_path / "ledger.json")])
    assert ledger.head in shown.output.replace("\n", "")
    assert "word replace" in shown.output
    explained = runner.invoke(app, ["explain", "shared", "--words", "100", "--topics", "5", "--json"])
    assert json.loads(explained.output)["statements"][0]["epsilon"] == "inf"
