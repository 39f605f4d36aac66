"""Put a changed plan into the folders of the approved parties, to be sent and accepted anew.

Example: fedtopics federation share hub
"""

from fedtopics.commands import options
from fedtopics.network.plan import onboarding


def share(folder: options.Member) -> None:
    for certificate in sorted((folder / onboarding.APPROVED).glob("*/party.crt")):
        onboarding.share_plan(folder, certificate.parent.name)
        options.say(f"send {certificate.parent} to {certificate.parent.name}, who accepts it anew")
