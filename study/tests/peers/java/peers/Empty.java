package peers;

import java.io.Serializable;

/** No fields, and a computed serialVersionUID. */
public final class Empty implements Serializable {}
