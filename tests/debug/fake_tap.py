"""A TAP that only has an IDCODE, behind remote_bitbang. It tests OpenOCD's behavior with a wrong part."""

import socket
import threading

#: IEEE 1149.1: state -> (next state with TMS 0, next state with TMS 1).
STATES = {"reset": ("idle", "reset"), "idle": ("idle", "dr-select")}
for kind, after in (("dr", "ir-select"), ("ir", "reset")):
    select, capture, shift, exit1, pause, exit2, update = (
        f"{kind}-{name}" for name in ("select", "capture", "shift", "exit1", "pause", "exit2", "update")
    )
    STATES |= {select: (capture, after), capture: (shift, exit1), shift: (shift, exit1), exit1: (pause, update)}
    STATES |= {pause: (pause, exit2), exit2: (shift, update), update: ("idle", "dr-select")}


class FakeTap:
    """Serves one client on `port`, in a thread."""

    def __init__(self, idcode, ir_length=5):
        self.idcode, self.ir_length = idcode, ir_length
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        client = self.listener.accept()[0]
        state, tck, register, length = "reset", 0, 0, 32
        while data := client.recv(4096):
            for command in data.decode():
                if command == "R":
                    client.sendall(b"01"[register & 1 :][:1])
                if not "0" <= command <= "7":
                    continue
                bits = int(command)
                if bits & 4 and not tck:
                    if state == "dr-capture":
                        register, length = self.idcode, 32
                    elif state == "ir-capture":
                        register, length = 1, self.ir_length
                    elif state.endswith("shift"):
                        register = register >> 1 | (bits & 1) << length - 1
                    state = STATES[state][bits >> 1 & 1]
                tck = bits & 4
        client.close()
