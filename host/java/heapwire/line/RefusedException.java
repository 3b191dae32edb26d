package heapwire.line;

import heapwire.Numbers.Monitor;
import java.io.IOException;

/** The machine has understood a request and refuses it. */
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int status;

    RefusedException(int operation, int status) {
        super(Monitor.OPERATION_NAMES.get(operation) + " was refused: "
                + Monitor.ANSWER_NAMES.getOrDefault(status, Integer.toString(status)));
        this.status = status;
    }

    /** Returns the status (docs/reference/monitor_protocol.md). */
    public int status() {
        return status;
    }
}
