package peers;

import java.io.Serializable;

/** No field, and a serialVersionUID that is computed. */
public final class Empty implements Serializable {}
