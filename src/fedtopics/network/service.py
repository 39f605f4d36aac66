"""systemd units that run a participant as a service: a user of its own, and as few rights as it needs.

It writes to its own folder alone; documents are read-only; nothing else of the machine can be changed, and of
homes nothing seen. `systemd-analyze security UNIT` says what is left open, and a test keeps that number low.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from fedtopics.errors import InputError

TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - a service has its own
FORBIDDEN = ('"', "'", "\n", "\\", "%", "$")

UNIT = """# Made by `fedtopics {made_by}`. Put it to /etc/systemd/system/{name}.service, then
#   useradd --system --home-dir {folder} --shell /usr/sbin/nologin {user}   (once)
#   chown -R {user}: {folder}
#   systemctl daemon-reload && systemctl enable --now {name}
[Unit]
Description=fedtopics: {described}
After=network-online.target
Wants=network-online.target

[Service]
User={user}
ExecStart={command}
Restart=always
RestartSec=5
TimeoutStopSec=30
WorkingDirectory={folder}
UMask=0077
Environment=PYTHONUNBUFFERED=1

# It writes to its folder and nowhere else.
ProtectSystem=strict
ReadWritePaths={writable}
{readable}ProtectHome={home}
PrivateTmp=yes
PrivateDevices=yes

# It needs no right that a user does not have, and never gets one.
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
RestrictSUIDSGID=yes
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM
SystemCallArchitectures=native
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
LockPersonality=yes
RemoveIPC=yes

# Of the machine it sees little and changes nothing.
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
ProtectProc=invisible
ProcSubset=pid
KeyringMode=private
{port}
[Install]
WantedBy=multi-user.target
"""
NO_PORT = """
# No port is open at a party: it calls, nobody calls it.
SocketBindDeny=any
"""


@dataclass(frozen=True)
class Service:
    """A service of one participant: `role` is coordinator or party; its `name` may be empty."""

    role: str
    folder: Path
    name: str
    user: str
    documents: Path | None = None
    metrics: Path | None = None
    port: int | None = None

    def unit(self) -> str:
        """The unit file."""
        folder = self.folder.resolve()
        name = self.name or f"fedtopics-{folder.name}"
        paths = [folder, self.documents, self.metrics, Path(sys.executable)]
        for text in (self.user, name, *(str(path) for path in paths if path)):
            if any(sign in text for sign in FORBIDDEN) or " " in text or not text.isprintable():
                raise InputError(f"expected a path or name without spaces and quotes, got {text!r:.60}")
        if any(folder.is_relative_to(place) for place in TEMPORARY):
            raise InputError(
                f"expected a folder that outlives a restart, got {folder}; move it, and try again"
            )
        writable = [folder, *([self.metrics.resolve().parent] if self.metrics else [])]
        documents = f"ReadOnlyPaths={self.documents.resolve()}\n" if self.documents else ""
        seen = [folder, Path(sys.executable), *([self.documents.resolve()] if self.documents else [])]
        return UNIT.format(
            made_by="federation party service" if self.role == "party" else "federation service",
            name=name,
            user=self.user,
            folder=folder,
            described=f"{self.role} {folder.name}",
            command=" ".join(self._command(folder)),
            writable=" ".join(map(str, writable)),
            readable=documents,
            home="read-only" if any(_is_at_home(path) for path in seen) else "yes",
            port=NO_PORT
            if self.role == "party"
            else f"SocketBindAllow=tcp:{self.port}\nSocketBindDeny=any\n",
        )

    def _command(self, folder: Path) -> list[str]:
        start = [sys.executable, "-P", "-m", "fedtopics", "federation", self.role, "start", str(folder)]
        return [*start, *(["--metrics", str(self.metrics.resolve())] if self.metrics else [])]


def _is_at_home(path: Path) -> bool:
    return path.absolute().parts[1:2] in (("home",), ("root",)) or path.is_relative_to("/run/user")
