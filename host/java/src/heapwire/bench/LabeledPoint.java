package heapwire.bench;

import java.io.Serializable;

/** What SVM and logistic regression learn from. */
public class LabeledPoint implements Serializable {
    private static final long serialVersionUID = 1L;

    public double label;
    public Vector features;
}
