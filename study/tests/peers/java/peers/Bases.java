package peers;

import java.io.Serializable;

/** Superclasses of {@link Everything}. */
public final class Bases {
    private Bases() {}

    /** Not Serializable, so that Java serialization runs its constructor. */
    public static class Plain {
        public int lost;
        public Plain() {
            lost = 0;
        }
    }

    public static class Root extends Plain implements Serializable {
        private static final long serialVersionUID = 7L;
        public String zebra;
        public byte ant;
    }

    public abstract static class Base extends Root {
        private static final long serialVersionUID = 8L;
        public long shared;
        public Object middle;
        protected short number;
    }
}
