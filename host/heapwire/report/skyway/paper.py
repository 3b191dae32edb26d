"""What *Skyway* (ASPLOS 2018) says in numbers."""
SPARK_SHARES = {"kryo-manual": {"serialize": 0.182, "write": 0.014, "deserialize": 0.141, "read": 0.011}, "java": {"serialize": 0.163, "write": 0.023, "deserialize": 0.178, "read": 0.099}}
"""Of the time of triangle counting on LiveJournal, figure 3(a), section 2."""
JSBS = {"kryo-manual": 2.2, "java": 67.3, "colfer": 1.5}
"""How many times as fast as these Skyway is, section 5.1; `more than 67` of Java."""
TABLE_2 = {"kryo-manual": ("0.39 to 0.94 (0.76)", "0.33 to 0.89 (0.59)", "0.12 to 0.83 (0.61)", "0.11 to 0.55 (0.26)", "0.01 to 0.03 (0.02)", "0.31 to 1.09 (0.52)"),
           "skyway-sw": ("0.27 to 0.92 (0.64)", "0.19 to 1.29 (0.62)", "0.12 to 1.61 (0.97)", "0.04 to 0.43 (0.16)", "0.01 to 0.05 (0.02)", "0.91 to 3.13 (1.15)")}
"""Normalized to Java serialization: overall, serialize, write, deserialize, read, size."""
EXTRA = {"headers": 0.51, "padding": 0.34, "pointers": 0.15}
"""Shares of Skyway's extra bytes, section 5.2."""
MEMORY = (0.021, 0.218, 0.154)
"""What the field baddr costs of the peak heap: least, most, mean."""
