"""Compute what the papers claim, what is proved, what an attack reaches, and why they differ."""

from dataclasses import asdict

from fedtopics.commands import options, tables


def audit_claims(as_json: options.Json = False) -> None:
    from fedtopics.audit import claims

    findings = claims.audit()
    if as_json:
        options.print_json([asdict(finding) for finding in findings])
    else:
        tables.print_rows(
            [
                {
                    "method": f.method,
                    "the paper claims": f.claimed,
                    "proved": f.proved,
                    "an attack reached": f.reached,
                    "why": f.why,
                }
                for f in findings
            ]
        )
