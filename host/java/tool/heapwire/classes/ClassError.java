package heapwire.classes;

/** An error that the user can correct. The message says how. */
public final class ClassError extends RuntimeException {
    private static final long serialVersionUID = 1;

    public ClassError(String message) {
        super(message);
    }
}
