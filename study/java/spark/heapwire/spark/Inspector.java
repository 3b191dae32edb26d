package heapwire.spark;

import java.util.ArrayList;
import java.util.List;

/** Looks at each root that tasks serialize: counts its objects, and keeps an even sample of the records, as text. A
  * record is a key and its value, or an object of a cached block. */
final class Inspector {
    final Graphs graphs = new Graphs();
    private static final int MOST_LETTERS = 24_000;
    private static final int MOST_OBJECTS = 600;
    private final int wanted;
    private final List<String> kept = new ArrayList<>();
    private long stride = 1;
    private long records;
    private boolean keeping;
    private String key;

    /** wanted: how many records {@link #sample} has at most; it also has fewer where they are large. */
    Inspector(int wanted) {
        this.wanted = wanted;
    }

    long records() {
        return records;
    }

    void key(Object root) {
        keeping = records % stride == 0;
        key = look(root);
    }

    void value(Object root) {
        keep(key, look(root));
    }

    void object(Object root) {
        keeping = records % stride == 0;
        keep(look(root), null);
    }

    private String look(Object root) {
        graphs.count(root);
        return keeping ? graphs.text(root) : null;
    }

    private void keep(String first, String second) {
        records++;
        if (!keeping) {
            return;
        }
        kept.add("[" + first + (second == null ? "" : ", " + second) + "]");
        if (kept.size() == 2 * wanted) {  // every second one goes, and of those to come, too
            for (int i = 1; i <= wanted; i++) {
                kept.remove(i);
            }
            stride *= 2;
        }
    }

    /** Records at even distances over all that were written, a line each. */
    List<String> sample() {
        double letters = kept.stream().mapToInt(String::length).average().orElse(1);
        double objects = Math.max(graphs.objects, 1) / (double) Math.max(records, 1);
        int count = (int) Math.min(Math.min(wanted, kept.size()),
            Math.min(MOST_LETTERS / letters, MOST_OBJECTS / objects));
        List<String> found = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            found.add(kept.get((int) ((long) i * kept.size() / count)));
        }
        return found;
    }
}
