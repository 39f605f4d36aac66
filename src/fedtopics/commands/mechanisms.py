"""List the mechanisms: what goes in, what comes out, and the parameter that sets how private each is.

Example: fedtopics mechanisms
"""

from fedtopics.commands import options, tables
from fedtopics.privacy.mechanisms.mechanism import INPUTS, OUTPUTS, every


def mechanisms(as_json: options.Json = False) -> None:
    rows = [
        {"mechanism": name, "takes": INPUTS[m.takes], "gives": OUTPUTS[m.gives], "parameter": m.parameter}
        for name, m in every().items()
    ]
    if as_json:
        options.print_json(rows)
    else:
        tables.print_rows(rows)
