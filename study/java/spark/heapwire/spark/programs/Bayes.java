package heapwire.spark.programs;

import heapwire.bench.Document;
import heapwire.bench.SparseVector;
import heapwire.spark.Program;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/** Cereal's Bayes: counts in how many documents a term occurs, (String, Long), and brings documents of one class
  * together, (String, Document), to count its terms. */
public final class Bayes extends Program {
    private static final int DOCUMENTS = 12_000 * SCALE;
    private static final int TERMS = 12;
    private static final int VOCABULARY = 5_000;
    private static final int LABELS = 20;

    public Bayes() {
        super("bayes", DOCUMENTS, "%,d documents of up to %d of %,d terms, %d classes",
            DOCUMENTS, TERMS, VOCABULARY, LABELS);
    }

    private static List<Document> part(int partition) {
        SplittableRandom dice = Input.dice(6, partition);
        List<Document> found = new ArrayList<>();
        for (int i = 0; i < DOCUMENTS / Input.PARTITIONS; i++) {
            TreeMap<Integer, Integer> counts = new TreeMap<>();
            for (int k = 0; k < TERMS; k++) {
                counts.merge(Input.skewed(dice, VOCABULARY), 1, Integer::sum);
            }
            Document document = new Document();
            document.label = "class" + dice.nextInt(LABELS);
            document.terms = counts.keySet().stream().map(each -> "term" + each).toArray(String[]::new);
            document.frequencies = new SparseVector();
            document.frequencies.size = VOCABULARY;
            document.frequencies.indices = counts.keySet().stream().mapToInt(each -> each).toArray();
            document.frequencies.values = counts.values().stream().mapToDouble(each -> each).toArray();
            found.add(document);
        }
        return found;
    }

    /** What the model says of a class: its terms, each as rare as it is in all documents. */
    private static double model(String label, Iterable<Document> documents, Map<String, Long> everywhere) {
        double[] sums = new double[VOCABULARY];
        for (Document document : documents) {
            for (int i = 0; i < document.terms.length; i++) {
                double rare = Math.log((double) DOCUMENTS / everywhere.get(document.terms[i]));
                sums[document.frequencies.indices[i]] += document.frequencies.values[i] * rare;
            }
        }
        double total = 0;
        for (int i = 0; i < VOCABULARY; i++) {
            total += Math.log1p(sums[i]) * (1 + i % 3);
        }
        return total * (1 + Integer.parseInt(label.substring(5)) % 4);
    }

    @Override
    public double run(JavaSparkContext context) {
        JavaPairRDD<String, Document> documents = Input.rdd(context, Bayes::part)
            .mapToPair(each -> new Tuple2<>(each.label, each)).persist(StorageLevel.MEMORY_ONLY());
        Map<String, Long> everywhere = new HashMap<>(documents.flatMapToPair(each -> Arrays.stream(each._2.terms)
            .map(term -> new Tuple2<>(term, 1L)).iterator()).reduceByKey(Long::sum).collectAsMap());
        var shared = context.broadcast(everywhere);
        double found = documents.groupByKey().mapToDouble(each -> model(each._1, each._2, shared.value())).sum();
        documents.unpersist(true);
        return found;
    }

    @Override
    public double expected() {
        List<Document> all = Input.all(Bayes::part);
        Map<String, Long> everywhere = all.stream().flatMap(each -> Arrays.stream(each.terms))
            .collect(Collectors.groupingBy(term -> term, Collectors.counting()));
        Map<String, List<Document>> of = all.stream()
            .collect(Collectors.groupingBy(each -> each.label, TreeMap::new, Collectors.toList()));
        return of.entrySet().stream().mapToDouble(each -> model(each.getKey(), each.getValue(), everywhere)).sum();
    }
}
