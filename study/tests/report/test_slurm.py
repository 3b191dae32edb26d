"""A part of the workflow through a real Slurm of one node. The test starts Slurm on the loopback address (Debian's
`slurm-wlm` and `munge`) and ends it."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time

import pytest

from base.repository import ROOT

TOOLS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo")
PATIENCE = 60
"""Seconds until a daemon has to answer."""
CONF = """
ClusterName=heapwire
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld}
SlurmdPort={slurmd}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
DefMemPerCPU=100
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MinJobAge=600
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


COMMAND = """-m snakemake --snakefile study/workflow/Snakefile --executor slurm --jobs 2 --nolock
    --slurm-no-account --slurm-status-command squeue --slurm-init-seconds-before-status-checks 2
    --seconds-between-status-checks 2 --slurm-logdir {folder}/logs --slurm-keep-successful-logs
    --default-resources mem_mb=300 runtime=5 --allowed-rules graphs cuts page
    --config suites=none bench={folder}/bench report={folder}/report"""
"""Python's arguments."""


def missing():
    """Returns the reason why Slurm cannot start here, or None."""
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    absent = [tool for tool in TOOLS if not shutil.which(tool, path=path)]
    if absent:
        return f"no {', '.join(absent)}: apt-get install slurm-wlm munge"
    return None if os.getuid() == 0 else "a Slurm of its own wants root"


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@pytest.fixture
def slurm(tmp_path):
    """Starts a Slurm of one node. Yields the environment in which its commands find it."""
    if reason := missing():
        pytest.skip(reason)
    folder, host = tmp_path / "slurm", socket.gethostname().partition(".")[0]
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    folder.chmod(0o755)
    ctld, slurmd = free_ports(2)
    (folder / "slurm.conf").write_text(
        CONF.format(folder=folder, host=host, ctld=ctld, slurmd=slurmd, cpus=os.cpu_count())
    )
    (folder / "munge.key").write_bytes(os.urandom(128))
    (folder / "munge.key").chmod(0o400)
    others = ("SLURM", "MAKE", "MFLAGS")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    environment["PATH"] = f"{folder}/bin:{os.environ['PATH']}:/usr/sbin:/sbin"
    environment["SLURM_CONF"] = str(folder / "slurm.conf")
    # A Snakemake job starts its step without Slurm's variables, because Slurm looks for a cluster's configuration in a
    # default place. This one is elsewhere.
    (folder / "bin").mkdir()
    (folder / "bin" / "srun").write_text(
        f'#!/bin/sh\nSLURM_CONF={folder}/slurm.conf exec {shutil.which("srun")} "$@"\n'
    )
    (folder / "bin" / "srun").chmod(0o755)
    started = []

    def start(*command):
        log = (folder / f"{command[0]}.out").open("wb")
        started.append(
            subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        )

    def there(test):
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit:
            if any(process.poll() is not None for process in started):
                break
            if test():
                return
            time.sleep(0.5)
        files = [*folder.glob("*.out"), *folder.glob("*.log")]
        logs = "\n".join(f"{file.name}: {file.read_text(errors='replace')[-800:]}" for file in files)
        pytest.skip(f"Slurm does not start here:\n{logs}")

    def up():
        state = subprocess.run(["sinfo", "-h", "-o", "%T"], env=environment, capture_output=True, text=True, timeout=20)
        return state.stdout.strip() == "idle"

    try:
        files = {"socket": "socket", "key-file": "key", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        flags = [f"--{flag}={folder}/munge.{file}" for flag, file in files.items()]
        start("munged", "--foreground", "--force", *flags)
        there((folder / "munge.socket").exists)
        start("slurmctld", "-D", "-f", str(folder / "slurm.conf"))
        start("slurmd", "-D", "-f", str(folder / "slurm.conf"), "-N", host)
        there(up)
        yield environment, folder
    finally:
        for process in reversed(started):
            process.terminate()
        for process in reversed(started):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def test_a_part_of_the_workflow(slurm, tmp_path):
    """A Slurm job computes the figures of the graphs. The page is made here."""
    environment, folder = slurm
    command = [sys.executable, *COMMAND.format(folder=tmp_path).split()]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, (
        done.stdout[-2000:] + done.stderr[-4000:] + (folder / "slurmctld.log").read_text()[-2000:]
    )
    assert "SLURM jobid" in done.stderr
    jobs = (folder / "slurmctld.log").read_text()
    assert "_slurm_rpc_submit_batch_job: JobId=" in jobs and "WEXITSTATUS 0" in jobs
    rows = [json.loads(line) for line in (tmp_path / "bench" / "graphs.jsonl").read_text().splitlines()]
    assert len(rows) > 10 and all(row["ok"] for row in rows)
    assert "what packing saves" in (tmp_path / "report" / "index.html").read_text()
