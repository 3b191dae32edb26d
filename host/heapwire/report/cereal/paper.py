"""What *Cereal* (ISCA 2020) says in numbers; figures that it has as pictures alone are not read off them."""
IPC = {"java": 1.01, "kryo-generic": 0.96}
"""Section III, averages of figure 3(a)."""
SPEEDUPS = {("serialize", "kryo-generic"): 2.30, ("deserialize", "kryo-generic"): 52.3, ("serialize", "hw-x8"): 26.5, ("deserialize", "hw-x8"): 364.5}
"""Over Java, section VI-B, averages of figure 10; of eight units of each kind."""
PORT = {("serialize", "java"): 0.0271, ("serialize", "kryo-generic"): 0.0412, ("serialize", "hw-x8"): 0.209,
        ("deserialize", "java"): 0.0348, ("deserialize", "kryo-generic"): 0.0450, ("deserialize", "hw-x8"): 0.311}
"""Of DRAM's bandwidth, section VI-B, averages of figure 11."""
MOST_PORT = {"serialize": 0.745, "deserialize": 0.833}
SIZES = {"tree-narrow": (23.0, 12.0, 16.1), "tree-wide": (148.6, 48.0, 80.0), "list-small": (8.0, 2.5, 16.0), "list-large": (59.4, 10.0, 47.8),
         "graph-sparse": (22.1, 10.8, 2.4), "graph-dense": (115.5, 51.1, 2.4)}
"""Table IV: MB of Java, Kryo, Cereal."""
GRAPHS = {"tree-narrow": "2,097,150 nodes of 2 children", "tree-wide": "19,173,960 nodes of 8 children", "list-small": "524,288 nodes",
          "list-large": "2,097,152 nodes", "graph-sparse": "4,096 nodes of 1 edge", "graph-dense": "4,096 nodes of 4,095 edges"}
"""Table II."""
JSBS_OVER_KRYO, JSBS_OVER_ALL = 15.1, 43.4
"""Section VI-C: over Kryo by hand; over 88 libraries on average."""
SPARK = {"kryo-generic": 1.67, "hw-x8": 7.97}
"""Over Java, both ways, section VI-D, geometric means of figure 13."""
SPARK_OVER_KRYO = 4.81
PACKING = 0.283
"""Saved by packing, on average, section VI-D."""
AREA = {"Serializer": {"Header manager": 0.003, "Reference array writer": 0.013, "Object metadata manager": 0.014, "Object handler": 0.028},
        "Deserializer": {"Layout manager": 0.020, "Block manager": 0.217, "Block reconstructor (each of 4)": 0.011},
        "System": {"TLB": 0.282, "MAI": 0.161, "Class ID Table": 0.230, "Klass Pointer Table": 0.472}}
"""Table V: square millimetres a unit, TSMC 40 nm."""
UNIT_AREA = {"Serializer": 0.058, "Deserializer": 0.281}
"""Square millimetres of one unit, section VI-E."""
ENERGY = {("serialize", "kryo-generic"): 1.39, ("deserialize", "kryo-generic"): 2.01, ("serialize", "hw-x8"): 313.6, ("deserialize", "hw-x8"): 165.4}
"""Times less than Java, geometric means of figure 17."""
