"""The server of pw_rpc in datagrams, on the SoC with LiteEth's MAC. The harness sends frames with packets of Pigweed's
client (packets.py) and keeps what comes back, so that a run repeats exactly."""

import json
import random
import struct
import subprocess
from pathlib import Path

import pytest

from base.errors import HeapwireError
from heapwire.program import run as program_run
from heapwire.program.program import read
from heapwire.simulation import parts
from sim import ethernet, tap
from sim.ethernet import End
from sim.run import run
from tests.rpc.names import OF_CLIENTS, OF_FRAMES, SCENARIOS

HERE = Path(__file__).parent
HOST = End(bytes([2, 0, 0, 0, 0, 9]), "192.168.7.1", 40000)
BOARD = End(bytes([2, 0, 0, 0, 0, 1]), "192.168.7.2", 7000)
EVERYBODY = b"\xff" * 6
ARP = struct.Struct(">HHBBH6s4s6s4s")
SLOTS = 8
"""Of the MAC, for frames that come."""
MANY = 10_000
NO_SENDERS = ("255.255.255.255", "224.0.0.1", "240.0.0.1", "0.0.0.0", "127.0.0.1", BOARD.ip)
OUTSTANDING = 8
ONE_BYTE = len(ethernet.PREAMBLE) + 1
"""Behind a frame of one byte LiteEth loses the next frame."""
QUICK = ("echo", "both_streams", "cancelled_calls", "long_payloads")


def arp(operation, sender, target, to=EVERYBODY, target_mac=bytes(6)):
    """Returns the frame of an ARP request (1) or reply (2)."""
    body = ARP.pack(1, ethernet.IPV4, 6, 4, operation, sender.mac, sender.packed, target_mac, target.packed)
    return ethernet.on_line(to + sender.mac + b"\x08\x06" + body)


ANNOUNCED = arp(1, BOARD, BOARD)


@pytest.fixture(scope="module")
def packets(pigweed, seed):
    """Returns the steps of packets.py, and a function that has it check the answers to each."""
    python, modules = pigweed
    command = [python, HERE / "packets.py", modules, "Objects", str(seed)]

    def check(answers):
        lines = "".join(json.dumps(each) + "\n" for each in answers)
        done = subprocess.run([*command, "check"], input=lines, capture_output=True, text=True, check=True)
        return done.stdout

    made = subprocess.run([*command, "make"], capture_output=True, text=True, check=True).stdout
    return [(name, bytes.fromhex(data), count) for name, data, count in map(json.loads, made.splitlines())], check


@pytest.fixture
def exchange(udp_image, tmp_path):
    """Returns a function: the frames with which the device answers frames. It takes pairs of how many must have come
    before, and the frame, and how many come in all; None: until no more come. The device's own ARP request comes
    first."""

    def exchanged(frames, total):
        script, log = tmp_path / "frames", tmp_path / "log"
        ethernet.write(script, [*frames, (total or MANY, b"")])
        options = ["--eth-frames", script, "--eth-log", log, "--eth-patience", 2_000_000]
        result = run(udp_image, max_cycles=100_000_000, arguments=options, ethernet=True)
        came = [frame for frame in ethernet.read(log) if frame.from_machine]
        assert result.reason == ("frames" if total else "no-answer"), f"{result.reason}: {len(came)} of {total} came"
        assert came[0].line == ANNOUNCED and len(came) == (total or len(came))
        return came

    return exchanged


def request(data, host=HOST):
    return ethernet.datagram(data, host, BOARD)


def contents(frames, host=HOST):
    return [ethernet.content(frame, BOARD, host) for frame in frames]


def test_calls_of_all_kinds(packets, exchange, full):
    """Requests, eight at a time, then every kind of call and of error, one after the other: each answer is right, and
    none is lost."""
    steps, check = packets
    requests = 1000 if full else 100
    sent = [index for index, (name, *_) in enumerate(steps) if name != "echo" or index < requests]
    frames, awaited = [(1, arp(1, HOST, BOARD))], 2
    for index in sent:
        name, packet, count = steps[index]
        frames.append((max(2, awaited - OUTSTANDING + 1) if name == "echo" else awaited, request(packet)))
        awaited += count
    came = exchange(frames, awaited)
    assert came[1].line == arp(2, BOARD, HOST, HOST.mac, HOST.mac)
    answers = iter(contents(came[2:]))
    told = {index: [next(answers).hex() for _ in range(steps[index][2])] for index in sent}
    assert check([told.get(index) for index in range(len(steps))]) == ""


def damaged(line, dice):
    """Returns a frame that no receiver may take: its checksum or its preamble is wrong, or the datagram in it is cut,
    is a part of one, or is not what its own checksums say."""
    inner, kind = bytearray(ethernet.Frame(0, 0, line, False).data), dice.randrange(8)
    if kind < 3:  # on the line
        at, bit = dice.randrange(len(ethernet.PREAMBLE) - 1, len(line)), 1 << dice.randrange(8)
        flipped = line[:at] + bytes([line[at] ^ bit]) + line[at + 1 :]
        cut = dice.choice([at for at in range(1, len(line) - 1) if at != ONE_BYTE])
        return (flipped, line[:cut], line + dice.randbytes(dice.randrange(1, 40)))[kind]
    if kind < 6:  # on the way to it: IP and UDP
        inner[dice.randrange(14, min(len(inner), 42 + 20))] ^= 1 << dice.randrange(8)
        return ethernet.on_line(bytes(inner))
    if kind == 6:
        return ethernet.on_line(bytes(inner[: dice.randrange(14, len(inner) - 1)]))
    whole = ethernet.udp(bytes(inner[42:]), HOST, BOARD)
    flags = dice.choice((0x2000, 0x2000 | 8, 1, 0x1FFF))  # more fragments, offsets
    return ethernet.on_line(ethernet.ip(whole, HOST, BOARD, fragment=flags))


def test_damaged_datagrams(packets, exchange, full, seed):
    """None is answered, and a request behind each is."""
    steps, check = packets
    dice = random.Random(seed)
    sent = range(500 if full else 50)
    frames = []
    for index in sent:
        victim = steps[dice.randrange(1000)][1]
        frames += [(index + 1, damaged(request(victim), dice)), (index + 1, request(steps[index][1]))]
    answers = contents(exchange(frames, len(sent) + 1)[1:])
    assert check([[answers[index].hex()] if index in sent else None for index in range(len(steps))]) == ""


def test_a_frame_of_one_byte(packets, exchange):
    """The frame behind it may be lost, but not the one behind that."""
    steps, check = packets
    frames = [(1, request(steps[0][1])[:ONE_BYTE]), (1, request(steps[1][1])), (1, request(steps[2][1]))]
    *lost, last = contents(exchange(frames, None)[1:])
    told = [None, [lost[0].hex()] if lost else None, [last.hex()]]
    assert len(lost) <= 1 and check([*told, *[None] * (len(steps) - 3)]) == ""


def test_frames_that_are_not_for_the_server(packets, exchange):
    steps, check = packets
    packet = steps[0][1]
    other = End(BOARD.mac, "192.168.7.3", BOARD.port)
    others, many = (End(mac, BOARD.ip, BOARD.port) for mac in (bytes([2, 0, 0, 0, 0, 0x55]), b"\x01\0\x5e\0\0\1"))
    everybody = End(EVERYBODY, BOARD.ip, BOARD.port)
    mute = [
        arp(1, HOST, other),
        arp(1, HOST, BOARD, to=others.mac),
        arp(1, End(many.mac, HOST.ip, HOST.port), BOARD),
        *(ethernet.datagram(packet, HOST, end) for end in (others, many, everybody)),
        *(request(packet, End(mac, HOST.ip, HOST.port)) for mac in (many.mac, EVERYBODY)),
        *(request(packet, End(HOST.mac, ip, HOST.port)) for ip in NO_SENDERS),
        ethernet.datagram(packet, HOST, other),
        ethernet.datagram(packet, HOST, End(BOARD.mac, BOARD.ip, 7001)),
        ethernet.on_line(ethernet.ip(ethernet.udp(packet, HOST, BOARD), HOST, BOARD, protocol=6)),
        ethernet.on_line(EVERYBODY + HOST.mac + b"\x86\xdd" + bytes(60)),
        ethernet.on_line(BOARD.mac + HOST.mac + b"\x08\x00"),
        *(
            ethernet.on_line(ethernet.ip(ethernet.udp(packet, HOST, BOARD), HOST, BOARD)[:size], 0)
            for size in (1, 20, 41)
        ),
        request(bytes(1472)),
        request(bytes(1473)),
        request(bytes(1600)),
        request(bytes(8000)),
    ]
    frames = [(index + 1, line) for index, each in enumerate(mute) for line in (each, request(packet))]
    answers = contents(exchange(frames, len(mute) + 1)[1:])
    assert len(set(answers)) == 1 and check([[answers[0].hex()], *[None] * (len(steps) - 1)]) == ""


def without_sum(packet, ip_length=0):
    """Returns the frame of a request whose UDP checksum is 0, which stands for none. ip_length: bytes by which the IP
    header says too many."""
    head = ethernet.udp(packet, HOST, BOARD)[:6] + bytes(2)
    said = ethernet.ip(head + packet + bytes(max(ip_length, 0)), HOST, BOARD)
    if ip_length < 0:
        said = ethernet.ip((head + packet)[:ip_length], HOST, BOARD)
    return ethernet.on_line(said[:42] + packet)


def test_lengths_that_no_checksum_guards(packets, exchange):
    """A datagram without a checksum is answered if its lengths are right: UDP's fits in IP's, and IP's in the frame. Of
    the others all bytes of the packet are there."""
    steps, check = packets
    packet = max((packet for _, packet, _ in steps[:1000] if len(packet) < 600), key=len)
    index = next(index for index, (_, each, _) in enumerate(steps) if each == packet)
    frames = [(1, without_sum(packet, wrong)) for wrong in (-1, -20, 1, 4, 700)]
    answers = contents(exchange([*frames, (1, without_sum(packet))], 2)[1:])
    assert check([[answers[0].hex()] if at == index else None for at in range(len(steps))]) == ""


def test_a_burst(packets, exchange):
    """Of long requests, more than the MAC's slots: some may be lost, but each answer is right, and so is the next."""
    steps, check = packets
    *long, last = [index for index, (_, packet, _) in enumerate(steps) if len(packet) > 1300][:21]
    frames = [(1, request(steps[index][1])) for index in long] + [(1 + SLOTS, request(steps[last][1]))]
    told = [None] * len(steps)
    for answer in contents(exchange(frames, None)[1:]):
        index = next(index for index in (*long, last) if steps[index][1][300:1200] in answer)
        told[index] = [*(told[index] or ()), answer.hex()]
    assert len(long) == 20 and told[last] and check(told) == ""


def padded(packet, size):
    """Returns the packet with a field that no server knows, so that it has `size` bytes."""
    rest = size - len(packet) - 3
    return packet + bytes([15 << 3 | 2, rest & 0x7F | 0x80, rest >> 7]) + bytes(rest)


def test_the_longest_datagram(packets, exchange):
    """One that is longer is not answered, however right its packet is."""
    steps, check = packets
    short = next(index for index, (_, packet, _) in enumerate(steps) if len(packet) < 400)
    packet = steps[short][1]
    frames = [(1, request(padded(packet, size))) for size in (1473, 1480, 1488, 1600)]
    answers = contents(exchange([*frames, (1, request(padded(packet, 1472)))], 2)[1:])
    told = [None] * len(steps)
    told[short] = [answers[0].hex()]
    assert len(answers) == 1 and check(told) == ""


def test_many_clients(packets, exchange):
    """Each has its own calls, also if they have the same ids, and a client's answers go to that client alone, also
    those that the program writes after the datagram of another one."""
    steps, check = packets
    place = {name: index for index, (name, *_) in enumerate(steps) if name != "echo"}
    hosts = [End(bytes([2, 0, 0, 0, 1, n]), f"192.168.7.{100 + n % 3}", 40000 + n) for n in range(20)]
    sums = range(6)
    frames = []
    for index, host in enumerate(hosts):
        unanswered = [place[f"{part} {index}"] for part in ("sum", "number") if index in sums]
        frames += [(index + 1, request(steps[each][1], host)) for each in (*unanswered, index)]
    frames += [(21 + n, request(steps[place[f"end {n}"]][1], hosts[n])) for n in sums]
    watched, between = hosts[7], hosts[8]
    frames += [(27, request(steps[place["watched"]][1], watched)), (33, request(steps[30][1], between))]
    came = exchange(frames, 69)[1:]
    told = {index: [ethernet.content(came[index], BOARD, host)] for index, host in enumerate(hosts)}
    told |= {place[f"end {n}"]: [ethernet.content(came[20 + n], BOARD, hosts[n])] for n in sums}
    stream = came[26:]
    (other,) = (at for at, frame in enumerate(stream) if frame.data[:6] == between.mac)
    assert other < len(stream) - 2  # the stream goes on
    told[30] = [ethernet.content(stream.pop(other), BOARD, between)]
    told[place["watched"]] = contents(stream, watched)
    given = {index: [each.hex() for each in answers] for index, answers in told.items()}
    assert check([given.get(index) for index in range(len(steps))]) == ""


ENDS = """
#include <stdio.h>
#include "ethernet/udp.h"
int main(void) {
    static const uint8_t mac[6] = {2, 0, 0, 0, 0, 1};
    puts("it has begun");
    hw_udp_open(mac, HW_UDP_IP(192, 168, 7, 2), 7000);
    for (volatile int i = 0; i < 10000; i++);
    if (WRONG) __builtin_trap();
    return 7;
}
"""


@pytest.fixture
def ending(tmp_path):
    """Returns a function that runs a program, which soon ends, beside a client that does not. wrong: it traps."""
    if problem := tap.why_not():
        pytest.skip(problem)

    def run_it(wrong):
        (tmp_path / "ends.c").write_text(ENDS.replace("WRONG", str(int(wrong))))
        elf = program_run.build(read([tmp_path / "ends.c"], [], None), print, print, parts(ethernet=True))
        return program_run.run_networked(elf, 100_000_000, ["sleep", "600"])

    return run_it


def test_a_program_that_ends_ends_its_client(ending, capfd):
    """What it printed, and how it ended, is told."""
    assert ending(wrong=False) == 1
    printed = capfd.readouterr().err
    assert "it has begun" in printed and "the machine ended before the command: finish, exit code 7" in printed


def test_a_program_that_traps_says_where(ending, capfd):
    with pytest.raises(HeapwireError, match="a breakpoint without a debugger, at .* main .*ends.c"):
        ending(wrong=True)
    assert "# trap: mcause 00000003" in capfd.readouterr().err


def test_pigweeds_client_by_the_stack_of_this_host(udp_image, scenarios, full):
    """By Linux's ARP and UDP, through a TAP."""
    if problem := tap.why_not():
        pytest.skip(problem)
    names = tuple(name for name in SCENARIOS if name not in (*OF_FRAMES, *OF_CLIENTS)) if full else QUICK
    before = tuple(tap.inside(udp_image, "--"))
    for service in ("Objects", "Structs") if full else ("Objects",):
        counts = (1000, 50) if full else (10, 5)
        results = scenarios(service, *counts, "--udp", BOARD.ip, names=names, before=before)
        assert {name: problem for name, problem in results.items() if problem} == {} and list(results) == list(names)
