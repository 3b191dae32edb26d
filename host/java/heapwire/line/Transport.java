package heapwire.line;

import java.io.IOException;

/** A stream of bytes to a machine and back. */
public interface Transport extends AutoCloseable {
    /** Sends all of the bytes. */
    void write(byte[] bytes) throws IOException;

    /** Returns the bytes that have come. Waits up to so many milliseconds for the first; returns none if none comes.
      * Throws EOFException if the other end is gone. */
    byte[] read(int milliseconds) throws IOException;

    @Override
    void close() throws IOException;

    /** Returns a transport: {@code host:port} or {@code tcp:host:port}, as of the simulation, or the path of a serial
      * port, such as {@code /dev/ttyUSB0}, at 115,200 baud. */
    static Transport open(String where) throws IOException {
        if (where.startsWith("/")) {
            return new SerialTransport(where, SerialTransport.RATE);
        }
        String address = where.startsWith("tcp:") ? where.substring(4) : where;
        int colon = address.lastIndexOf(':');
        try {
            String host = colon > 0 ? address.substring(0, colon) : "localhost";
            return new TcpTransport(host, Integer.parseInt(address.substring(colon + 1)));
        } catch (NumberFormatException error) {
            throw new IllegalArgumentException(where + " is neither host:port nor a serial port (/dev/...)", error);
        }
    }
}
