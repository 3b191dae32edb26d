package heapwire.bench;

/** A training example of SVM and logistic regression. */
public class LabeledPoint implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public double label;
    public Vector features;
}
