"""Write a systemd unit that runs this party: a user of its own, documents read-only, no port.

Example: fedtopics federation party service office --out fedtopics-office.service
"""

from fedtopics.commands.federation.service import service

__all__ = ["service"]
