package heapwire.line;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;

/** The UART of a simulated machine, or that of a real one behind a server. */
public final class TcpTransport implements Transport {
    private static final int CONNECT_MS = 30_000;

    private final Socket socket = new Socket();
    private final byte[] buffer = new byte[4096];

    public TcpTransport(String host, int port) throws IOException {
        try {
            socket.connect(new InetSocketAddress(host, port), CONNECT_MS);
            socket.setTcpNoDelay(true);
        } catch (IOException | RuntimeException error) {
            socket.close();
            throw error;
        }
    }

    @Override
    public void write(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    @Override
    public byte[] read(int milliseconds) throws IOException {
        socket.setSoTimeout(Math.max(milliseconds, 1));
        try {
            int count = socket.getInputStream().read(buffer);
            if (count < 0) {
                throw new EOFException("the other end has closed the connection: did the simulation end?");
            }
            return Arrays.copyOf(buffer, count);
        } catch (SocketTimeoutException none) {
            return new byte[0];
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
