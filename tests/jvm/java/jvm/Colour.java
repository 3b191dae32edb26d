package jvm;

/** An enum with a constant that has a body. */
public enum Colour {
    RED,
    GREEN {
        @Override
        public String toString() {
            return "green";
        }
    },
    BLUE
}
