"""The numbers in the text and tables of *Cereal* (ISCA 2020), taken in part from the suite's own page. Figures that the
paper shows only as pictures are not read off them."""

from study.bench import cereal_paper
from study.bench.cereal import SCALES, SERIES

EIGHT = SCALES[8]
"""The paper's Cereal has eight units of each kind."""
ENGINES = {"kryo": "kryo-generic", "hw": EIGHT}
IPC = cereal_paper.PAPER_IPC
"""Section III, averages of figure 3(a)."""
SPEEDUPS = {
    (operation, ENGINES[engine]): value for (_, operation, engine), value in cereal_paper.PAPER_SPEEDUPS.items()
}
"""Over Java, section VI-B, averages of figure 10."""
PORT = {key: percent / 100 for key, percent in cereal_paper.PAPER_PORT.items()}
"""Of DRAM's bandwidth, section VI-B, averages of figure 11."""
SIZES = cereal_paper.PAPER_SIZES
"""Table IV: MB of Java, Kryo, Cereal."""
GRAPHS = {series.name: series.paper for series in SERIES}
"""Table II."""
JSBS_OVER_KRYO, JSBS_OVER_ALL = cereal_paper.PAPER_JSBS
"""Section VI-C: over Kryo by hand; over 88 libraries on average."""
SPARK = {EIGHT: cereal_paper.PAPER_SPARK[0], ENGINES["kryo"]: cereal_paper.PAPER_SPARK[2]}
"""Over Java, both ways, section VI-D, geometric means of figure 13."""
SPARK_OVER_KRYO = cereal_paper.PAPER_SPARK[1]
SPARK_SHARE = {"java": (0.395, 0.909), "kryo": (0.283, 0.834)}
"""Share of S/D in Spark's programs, section III, figure 2: the average, and the most, of SVM."""
PROGRAMS = {"java": (1.81, 4.66), "kryo": (1.69, 4.53)}
"""Whole programs over this serializer, section VI-D, figure 14: the mean, and the most."""
SPARK_INPUTS = {
    "nweight": "156 MB",
    "svm": "1,740 MB",
    "bayes": "1,126 MB",
    "lr": "1,945 MB",
    "terasort": "3,072 MB",
    "als": "1,331 MB",
}
"""Table III."""
PACKING = 0.283
"""Share saved by packing, on average, section VI-D."""
AREA = {
    "Serializer": {
        "Header manager": 0.003,
        "Reference array writer": 0.013,
        "Object metadata manager": 0.014,
        "Object handler": 0.028,
    },
    "Deserializer": {"Layout manager": 0.020, "Block manager": 0.217, "Block reconstructor (each of 4)": 0.011},
    "System": {"TLB": 0.282, "MAI": 0.161, "Class ID Table": 0.230, "Klass Pointer Table": 0.472},
}
"""Table V: square millimetres a unit, TSMC 40 nm."""
UNIT_AREA = {"Serializer": 0.058, "Deserializer": 0.281}
"""Square millimetres of one unit, section VI-E."""
