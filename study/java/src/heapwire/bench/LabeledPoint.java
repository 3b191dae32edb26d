package heapwire.bench;

import java.io.Serializable;

/** A training example of SVM and logistic regression. */
public class LabeledPoint implements Serializable {
    private static final long serialVersionUID = 1L;

    public double label;
    public Vector features;
}
