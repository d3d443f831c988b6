"""What a block may need beside the package: a SLURM cluster or an SSH server on this machine."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from tests.extras import missing
from tests.processes import PATIENCE, free_ports, wait_until

WHERE = os.pathsep.join([os.environ["PATH"], "/usr/sbin"])

# Nobody but this machine can reach it, so it asks nobody who she is.
SLURM = """
ClusterName=page
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/none
CredType=cred/none
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
KillWait=2
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=localhost NodeAddr=127.0.0.1 CPUs=4 RealMemory=4096
PartitionName=all Nodes=ALL Default=YES State=UP
"""

SSHD = """
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host
AuthorizedKeysFile {folder}/key.pub
PidFile {folder}/sshd.pid
PasswordAuthentication no
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
"""


PROGRAMS = {
    "": (),
    "slurm": ("sbatch", "scancel", "sinfo", "slurmctld", "slurmd", "srun"),
    "ssh": ("ssh-keygen", "sshd"),
}


class Services(ExitStack):
    """The services that a page has asked for so far; they last as long as it does."""

    def __init__(self, home: Path) -> None:
        super().__init__()
        self._home = home
        self._started: dict[str, dict[str, str]] = {"": {}}

    def variables(self, name: str) -> dict[str, str]:
        """What a block has to know about a service, which is started if it is not there yet."""
        if name in SERVICES and name not in self._started:
            folder = self._home / name
            folder.mkdir()
            self._started[name] = self.enter_context(SERVICES[name](folder))
        return self._started.get(name, {})


def what_is_missing(name: str) -> list[str]:
    """The programs of a service that are not installed here, or the library of that name."""
    if name not in PROGRAMS:
        return missing(name)
    return [each for each in PROGRAMS[name] if _find(each) is None]


@contextmanager
def slurm(folder: Path) -> Iterator[dict[str, str]]:
    """A SLURM cluster of one node, which says that it has four processors."""
    ports = dict(zip(("controller", "node"), free_ports(2), strict=True))
    (folder / "state").mkdir()
    (folder / "spool").mkdir()
    settings = folder / "slurm.conf"
    settings.write_text(SLURM.format(folder=folder, user=getpass.getuser(), **ports))
    variables = {
        "SLURM_CONF": str(settings),
        # The scheduler in a script of dask-jobqueue keeps to this machine too.
        "DASK_JOBQUEUE__SLURM__SCHEDULER_OPTIONS": "{'host': '127.0.0.1'}",
    }
    environment = os.environ | variables
    with (
        _running(["slurmctld", "-D"], environment),
        _running(["slurmd", "-D", "-N", "localhost"], environment),
    ):
        ask = ["sinfo", "--noheader", "--format=%T"]
        wait_until(lambda: _says(ask, environment) == "idle", "SLURM has no node that is idle")
        try:
            yield variables
        finally:
            _says(["scancel", "--me"], environment)


@contextmanager
def ssh(folder: Path) -> Iterator[dict[str, str]]:
    """An SSH server that lets in whoever has the key."""
    for name in ("host", "key"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True
        )
    (port,) = free_ports(1)
    settings = folder / "sshd_config"
    settings.write_text(SSHD.format(folder=folder, port=port))
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # where it locks itself up, left to us by Debian
    with _running(["sshd", "-D", "-e", "-f", str(settings)], dict(os.environ)):
        wait_until(lambda: _listens(port), "no SSH server")
        yield {"SSH_PORT": str(port), "SSH_KEY": str(folder / "key")}


SERVICES: dict[str, Callable[[Path], AbstractContextManager[dict[str, str]]]] = {
    "slurm": slurm,
    "ssh": ssh,
}


@contextmanager
def _running(command: list[str], environment: dict[str, str]) -> Iterator[None]:
    """A program, for as long as it is needed."""
    quiet = subprocess.DEVNULL
    path = _find(command[0])  # which sshd wants to know whole
    process = subprocess.Popen(
        [path, *command[1:]], env=environment, stdin=quiet, stdout=quiet, stderr=quiet
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _find(program: str) -> str | None:
    return shutil.which(program, path=WHERE)


def _listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def _says(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.stdout.strip()
