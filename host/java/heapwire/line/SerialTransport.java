package heapwire.line;

import java.io.EOFException;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;

/** A serial port. Java has none, so {@code stty} makes the port raw and sets its rate, and the port is then a file
  * whose reads end after a tenth of a second. No other program may read from the port. */
public final class SerialTransport implements Transport {
    /** The rate at which the machines' programs speak. */
    public static final int RATE = 115_200;
    private static final int TICK_MS = 100;

    private final String path;
    private final InputStream in;
    private final OutputStream out;
    private final byte[] buffer = new byte[4096];

    public SerialTransport(String path, int rate) throws IOException {
        this.path = path;
        stty(Integer.toString(rate), "raw", "-echo", "clocal", "min", "0", "time", Integer.toString(TICK_MS / 100));
        out = new FileOutputStream(path);
        try {
            in = new FileInputStream(path);
        } catch (IOException error) {
            out.close();
            throw error;
        }
    }

    private void stty(String... settings) throws IOException {
        if (!new File(path).exists()) {
            throw new IOException("there is no " + path + ": is the board plugged in?");
        }
        String[] command = new String[settings.length + 3];
        command[0] = "stty";
        command[1] = "-F";
        command[2] = path;
        System.arraycopy(settings, 0, command, 3, settings.length);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes()).strip();
        try {
            if (process.waitFor() != 0) {
                throw new IOException(path + " cannot be used as a serial port: " + said);
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", error);
        }
    }

    @Override
    public void write(byte[] bytes) throws IOException {
        out.write(bytes);
    }

    @Override
    public byte[] read(int milliseconds) throws IOException {
        long deadline = System.nanoTime() + milliseconds * 1_000_000L;
        while (true) {
            long begun = System.nanoTime();
            int count = in.read(buffer); // -1: nothing has come for a tick, or the port is gone
            if (count > 0) {
                return Arrays.copyOf(buffer, count);
            }
            if (!new File(path).exists() || System.nanoTime() - begun < TICK_MS * 100_000L) {
                throw new EOFException(path + " is gone: was the cable pulled, or does another program set it?");
            }
            if (System.nanoTime() >= deadline) {
                return new byte[0];
            }
        }
    }

    @Override
    public void close() throws IOException {
        try (in) {
            out.close();
        }
    }
}
