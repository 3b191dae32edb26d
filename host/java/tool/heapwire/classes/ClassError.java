package heapwire.classes;

/** What the user has to put right; the message says how. */
public final class ClassError extends RuntimeException {
    private static final long serialVersionUID = 1;

    public ClassError(String message) {
        super(message);
    }
}
