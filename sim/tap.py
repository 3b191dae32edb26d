"""Joins a simulated machine to the network of this host: to a TAP, in a network namespace that ends with the command.

    python -m sim.tap IMAGE [option of heapwire-sim]... -- COMMAND...

The command runs in that namespace, where this host is 192.168.7.1/24, once the machine has sent its first frame: the
announcement of its address. Its exit code is that of this command. The machine's UART is on standard
error. `why_not` says why there can be no TAP here."""

import fcntl
import os
import socket
import struct
import subprocess
import sys
import time

from base.errors import HeapwireError
from sim.run import Build, Scratch, SimulationError

TAP = b"tap0"
ADDRESS, NETMASK = "192.168.7.1", "255.255.255.0"
SECONDS = 300
"""Until the machine's first frame."""
GRACE = 5
"""Seconds that the command has when the machine has ended."""
INSIDE = "--inside"

# Of <linux/if_tun.h>, <linux/if.h>, <linux/sockios.h> and <linux/if_packet.h>.
TUNSETIFF, TUNSETPERSIST, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x400454CB, 0x0002, 0x1000
SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK, IFF_UP, IFF_RUNNING = 0x8914, 0x8916, 0x891C, 0x1, 0x40
ETH_P_ARP, PACKET_OUTGOING = 0x0806, 4


def make():
    """Makes the TAP, with an address. Raises OSError."""
    with open("/dev/net/tun", "r+b", buffering=0) as tun:
        fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", TAP, IFF_TAP | IFF_NO_PI))
        fcntl.ioctl(tun, TUNSETPERSIST, 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for request, address in ((SIOCSIFADDR, ADDRESS), (SIOCSIFNETMASK, NETMASK)):
            packed = struct.pack("16sHH4s16x", TAP, socket.AF_INET, 0, socket.inet_aton(address))
            fcntl.ioctl(any_socket, request, packed)
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH22x", TAP, IFF_UP | IFF_RUNNING))


def inside(*words):
    """Returns the command that runs this module with these words in a namespace of its own."""
    return ["unshare", "--map-root-user", "--net", sys.executable, "-m", "sim.tap", INSIDE, *map(str, words)]


def why_not():
    """Returns why no TAP can be made here, in a line; None if one can be made."""
    try:
        done = subprocess.run(inside(), capture_output=True, text=True)
    except OSError as error:
        return f"no TAP here: {error}"
    return f"no TAP here: {done.stderr.strip().splitlines()[-1]}" if done.returncode else None


def ended(process, scratch):
    """Returns how a machine has ended of itself, as an error."""
    result = scratch.result(process, b"", "")
    return SimulationError(
        f"the machine ended before the command: {result.reason}, exit code {result.code}, {result.cycles:,} cycles"
    )


def heard(ear, process):
    """Waits for the machine's first frame. Returns false if the machine ends before."""
    ear.settimeout(1)
    for _ in range(SECONDS):
        if process.poll() is not None:
            return False
        try:
            if ear.recvfrom(2048)[1][2] != PACKET_OUTGOING:
                return True
        except TimeoutError:
            pass
    raise SimulationError(f"the machine has sent no frame in {SECONDS} s")


def run_beside(process, command):
    """Runs a command until it ends, or until soon after the machine has ended. Returns its exit code, None if it had to
    be ended."""
    client, since = subprocess.Popen(command), None
    while client.poll() is None and (since is None or time.monotonic() < since + GRACE):
        if since is None and process.poll() is not None:
            since = time.monotonic()
        time.sleep(0.05)
    if (code := client.poll()) is None:
        client.terminate()
        client.wait()
    return code


def run(image, options, command):
    """Runs a machine and a command in this namespace. What the machine's UART sends goes to standard error. Returns the
    command's exit code. Raises SimulationError if the machine ends before the command, unless the command ends soon
    after it and the machine's exit code is 0."""
    scratch = Scratch(())
    with scratch.folder, socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ARP)) as ear:
        ear.bind((TAP.decode(), 0))
        given = ["--eth-tap", TAP.decode(), *scratch.options, *options]
        machine = Build.of(ethernet=True).command(image, [], given)
        process = subprocess.Popen(machine, stdin=subprocess.DEVNULL, stdout=sys.stderr)
        try:
            code = run_beside(process, command) if heard(ear, process) else None
            if code is None or process.poll():
                raise ended(process, scratch)
            return code
        finally:
            process.terminate()
            process.wait()


def main():
    words = sys.argv[1:]
    if words[:1] != [INSIDE]:
        if problem := why_not():
            sys.exit(problem)
        os.execvp("unshare", inside(*words))
    try:
        make()
        if words[1:]:
            split = words.index("--")
            sys.exit(run(words[1], words[2:split], words[split + 1 :]))
    except (OSError, HeapwireError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
