"""The numbers in the text and tables of *Skyway* (ASPLOS 2018)."""

SPARK_SHARES = {
    "kryo-manual": {"serialize": 0.182, "write": 0.014, "deserialize": 0.141, "read": 0.011},
    "java": {"serialize": 0.163, "write": 0.023, "deserialize": 0.178, "read": 0.099},
}
"""Shares of the time of triangle counting on LiveJournal, figure 3(a), section 2."""
JSBS = {"kryo-manual": 2.2, "java": 67.3, "colfer": 1.5}
"""How many times as fast as these Skyway is, section 5.1. For Java the paper says `more than 67`."""

QUERIES = {
    "query-a": ("QA", "Report pricing details for all items shipped within the last 120 days."),
    "query-b": ("QB", "List the minimum cost supplier for each region for each item in the database."),
    "query-c": ("QC", "Retrieve the shipping priority and potential revenue of all pending orders."),
    "query-d": ("QD", "Count the number of late orders in each quarter of a given year."),
    "query-e": ("QE", "Report all items returned by customers sorted by the lost revenue."),
}
"""Table 3, by our names."""
EXTRA = {"headers": 0.51, "padding": 0.34, "pointers": 0.15}
"""Shares of Skyway's extra bytes, section 5.2."""
MEMORY = (0.021, 0.218, 0.154)
"""Share by which the field baddr increases the peak heap: least, most, mean."""
