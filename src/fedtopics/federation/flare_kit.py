"""The folders that NVIDIA FLARE starts from, written from keys and certificates that are already there.

    FOLDER/startup/   who and where: addresses, certificate, key
    FOLDER/local/     what this machine allows: no code by the wire, two classes for jobs, no logs to others

Keys stay at the machine that made them: they are linked, not copied.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedtopics.federation import durable

PROJECT, SERVER, ADMIN = "fedtopics", "coordinator", "admin@fedtopics.local"
JOBS = "fedtopics.deployment.jobs"
ALLOWED = (
    "nvflare.collab.runtime.controller.CollabController",
    "nvflare.collab.runtime.executor.CollabExecutor",
    f"{JOBS}.CoordinatorJob",
    f"{JOBS}.PartyJob",
)
HEARTBEAT = 60  # seconds without a sign of life until a party counts as gone


@dataclass(frozen=True)
class Credentials:
    """Files in PEM: the certificate of the machine, its key, and the authority's certificate."""

    certificate: Path
    key: Path
    authority: Path

    def place(self, folder: Path, name: str) -> None:
        """Make them known in a folder under the names that the engine looks for."""
        for target, source in (
            (f"{name}.crt", self.certificate),
            (f"{name}.key", self.key),
            ("rootCA.pem", self.authority),
        ):
            link = folder / target
            link.unlink(missing_ok=True)
            link.symlink_to(source.resolve())


def write_server(folder: Path, host: str, port: int, credentials: Credentials) -> Path:
    """The coordinator's folder."""
    server = {
        "name": PROJECT,
        "service": {"target": f"{host}:{port}", "scheme": "grpc"},
        "admin_server": host,
        "admin_port": port,
        "ssl_private_key": "server.key",
        "ssl_cert": "server.crt",
        "ssl_root_cert": "rootCA.pem",
        "connection_security": "mtls",
    }
    startup = {"fed_server.json": {"format_version": 2, "servers": [server]}}
    return _write(folder, startup, _server_resources(folder), credentials, "server")


def write_party(folder: Path, name: str, host: str, port: int, credentials: Credentials) -> Path:
    """A party's folder."""
    client = {
        "ssl_private_key": "client.key",
        "ssl_cert": "client.crt",
        "ssl_root_cert": "rootCA.pem",
        "fqsn": name,
        "is_leaf": True,
        "connection_security": "mtls",
    }
    service = {"target": f"{host}:{port}", "scheme": "grpc"}
    server = {"name": PROJECT, "service": service, "identity": SERVER}
    startup = {"fed_client.json": {"format_version": 2, "servers": [server], "client": client}}
    return _write(folder, startup, _party_resources(), credentials, "client")


def write_admin(folder: Path, host: str, port: int, credentials: Credentials) -> Path:
    """The folder from which the coordinator's own supervisor submits jobs."""
    admin = {
        "project_name": PROJECT,
        "username": ADMIN,
        "server_identity": SERVER,
        "scheme": "grpc",
        "host": host,
        "port": port,
        "connection_security": "mtls",
        "uid_source": "user_input",
        "with_file_transfer": True,
        "upload_dir": "transfer",
        "download_dir": "transfer",
        "client_key": "client.key",
        "client_cert": "client.crt",
        "ca_cert": "rootCA.pem",
    }
    resources = {"format_version": 1, "admin": {"idle_timeout": 86400.0, "prompt": "> "}}
    startup = {"fed_admin.json": {"format_version": 1, "admin": admin}}
    return _write(folder, startup, resources, credentials, "client")


def write_job(folder: Path, run: str, parties: tuple[str, ...], min_parties: int) -> Path:
    """A job for these parties: two class names and the name of the run, no code and no data."""
    config = folder / "app" / "config"
    config.mkdir(parents=True, exist_ok=True)
    meta = {
        "name": run,
        "resource_spec": {},
        "min_clients": min_parties,
        "deploy_map": {"app": ["server", *parties]},
    }
    controller = {
        "id": "controller",
        "path": ALLOWED[0],
        "args": {"server_obj_id": "coordinator", "collab_obj_ids": [], "props": {}},
    }
    executor = {"id": "executor", "path": ALLOWED[1], "args": {"client_obj_id": "party", "props": {}}}
    filters: dict[str, Any] = {"format_version": 2, "task_data_filters": [], "task_result_filters": []}
    server_side = {
        "workflows": [controller],
        "components": [{"id": "coordinator", "path": ALLOWED[2], "args": {"run": run}}],
    }
    party_side = {
        "executors": [{"tasks": ["*"], "executor": executor}],
        "components": [{"id": "party", "path": ALLOWED[3], "args": {}}],
    }
    _json(folder / "meta.json", meta)
    _json(config / "config_fed_server.json", filters | server_side)
    _json(config / "config_fed_client.json", filters | party_side)
    return folder


def _write(
    folder: Path,
    startup: dict[str, Any],
    resources: dict[str, Any],
    credentials: Credentials,
    name: str,
) -> Path:
    for part in ("", "startup", "local", "transfer"):
        durable.make_folder(folder / part)
    for file, content in startup.items():
        _json(folder / "startup" / file, content)
    credentials.place(folder / "startup", name)
    _json(folder / "local" / "resources.json", resources)
    _json(folder / "local" / "authorization.json", _authorization())
    _json(folder / "local" / "log_config.json", _logging())
    return folder


def _server_resources(folder: Path) -> dict[str, Any]:
    storage = "nvflare.app_common.storages.filesystem_storage.FilesystemStorage"
    snapshots = {"root_dir": str(folder.resolve() / "snapshots"), "uri_root": "/"}
    persistor = "nvflare.app_common.state_persistors.storage_state_persistor.StorageStatePersistor"
    jobs = {"uri_root": str(folder.resolve() / "jobs"), "job_store_id": "job_store"}
    return _allowed() | {
        "servers": [
            {
                "admin_storage": "transfer",
                "max_num_clients": 100,
                "heart_beat_timeout": HEARTBEAT,
                "admin_timeout": 10.0,
            }
        ],
        "snapshot_persistor": {
            "path": persistor,
            "args": {"uri_root": "/", "storage": {"path": storage, "args": snapshots}},
        },
        "components": [
            _component("job_scheduler", "job_schedulers.job_scheduler.DefaultJobScheduler", max_jobs=1),
            {
                "id": "job_manager",
                "path": "nvflare.apis.impl.job_def_manager.SimpleJobDefManager",
                "args": jobs,
            },
            {"id": "job_store", "path": storage},
            _component("process_launcher", "job_launcher.server_process_launcher.ServerProcessJobLauncher"),
        ],
    }


def _party_resources() -> dict[str, Any]:
    manager = "resource_managers.gpu_resource_manager.GPUResourceManager"
    return _allowed() | {
        "client": {"retry_timeout": 30},
        "components": [
            _component("resource_manager", manager, num_of_gpus=0, mem_per_gpu_in_GiB=0),
            _component("resource_consumer", "resource_consumers.gpu_resource_consumer.GPUResourceConsumer"),
            _component("process_launcher", "job_launcher.client_process_launcher.ClientProcessJobLauncher"),
        ],
    }


def _component(name: str, path: str, **arguments: Any) -> dict[str, Any]:
    return {"id": name, "path": f"nvflare.app_common.{path}", "args": arguments}


def _allowed() -> dict[str, Any]:
    return {
        "format_version": 2,
        "class_list_enforcement_mode": "enforce",
        "class_allow_list": list(ALLOWED),
        "allow_log_streaming": False,
    }


def _authorization() -> dict[str, Any]:
    """The coordinator's supervisor may run jobs; nobody may send code or run commands."""
    rights = {"submit_job": "any", "manage_job": "any", "view": "any", "operate": "any"}
    denied = ("clone_job", "download_job", "shell_commands", "byoc", "server-predeployed-flwr")
    return {
        "format_version": "1.0",
        "permissions": {"project_admin": rights | dict.fromkeys(denied, "none")},
    }


def _logging() -> dict[str, Any]:
    """Lines on standard output alone, which the supervisor keeps in a file of this machine."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": {"format": "%(asctime)s %(name)s %(levelname)s %(message)s"}},
        "handlers": {
            "console": {"class": "logging.StreamHandler", "formatter": "plain", "stream": "ext://sys.stdout"}
        },
        "loggers": {"root": {"level": "INFO", "handlers": ["console"]}},
    }


def _json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    path.chmod(durable.PRIVATE_FILE)
