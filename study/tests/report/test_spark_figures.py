"""Figures of Spark's programs: what is measured is said to be, what is computed follows from it, and nothing is
computed of rows that are not there."""

import made_up
import pytest

from study.figures import cereal, skyway
from study.report import spark
from study.report.store import load


def figures(folder, only=None):
    """Figures and tables of both papers, by paper and number."""
    store = load(*made_up.write(folder, only))
    parts = {"cereal": cereal.FIGURES, "skyway": skyway.FIGURES}
    return {
        (name, item.number or item.title): item
        for name, made in parts.items()
        for item in (each.show(store) for each in made)
    }


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    return figures(tmp_path_factory.mktemp("spark") / "full")


def rows(made, case):
    return {(row["op"], row["engine"]): row for row in made if row["case"] == case}


def line(item, *first, table=0):
    return next(each for each in item.tables[table].lines if tuple(each[: len(first)]) == first)


def test_shares_are_those_of_the_rows(full):
    item, row = full["cereal", "Figure 2"], rows(made_up.spark(), "svm")["program", "kryo"]
    share = (row["serialize_ns"] + row["deserialize_ns"]) / row["run_ns"]
    assert line(item, "svm", "kryo")[-1] == f"{100 * share:.1f} %"
    assert item.text[0].startswith("**Measured** on a JVM") and "a JVM" in item.text[0]


def test_whole_programs_follow_from_shares_and_cycles(full):
    item, measured = full["cereal", "Figure 14"], rows(made_up.spark(), "svm")["program", "java"]
    cycles = rows(made_up.cereal_rows(), "captured-svm/20")
    write, read = (cycles[way, "java"]["cycles"] / cycles[way, "hw"]["cycles"] for way in ("serialize", "deserialize"))
    serialize, deserialize = (measured[f"{way}_ns"] / measured["run_ns"] for way in ("serialize", "deserialize"))
    wanted = 1 / (1 - serialize - deserialize + serialize / write + deserialize / read)
    found = line(item, "svm")
    assert found[1] == "`captured-svm/20`" and float(found[2]) == pytest.approx(wanted, abs=0.006)
    assert item.text[0].startswith("**Computed, not measured**")


def test_generated_records_stand_for_those_that_were_not_measured(full):
    found = full["cereal", "Figure 14"]
    assert line(found, "als")[1] == "`spark-als/600`"
    assert all(each[0] != "bayes" for each in found.tables[0].lines), "no records of it were measured"


def test_captured_records_are_beside_those_that_stand_for_them(full):
    item = full["cereal", "Figure 13"]
    assert line(item, "captured-svm/20") and line(item, "spark-svm/120")
    assert not any(each[0].startswith("captured-word-count") for each in item.tables[0].lines), "it is Skyway's"
    beside = full["cereal", "records that Spark serialized beside those that stand for them"]
    assert line(beside, "captured-nweight/24")[1] == f"{699 / 24:.1f}"


def test_skyway_is_computed_of_javas_time(full):
    item, measured = full["skyway", "Figure 8(a)"], rows(made_up.spark(), "page-rank")["program", "java"]
    cycles = rows(made_up.skyway_rows(), made_up.captured("page-rank"))
    found = line(item, "page-rank", "skyway-hw, computed", table=1)
    ratio = cycles["serialize", "java"]["cycles"] / cycles["serialize", "skyway-hw"]["cycles"]
    assert float(found[4]) == pytest.approx(measured["serialize_ns"] / 1e6 / ratio, abs=0.06)
    assert found[3] == line(item, "page-rank", "java", table=1)[3], "the program's own work stays"
    assert not any(each[:2] == ["triangles", "skyway-hw, computed"] for each in item.tables[1].lines)


def test_without_cycles_nothing_is_computed(tmp_path):
    found = figures(tmp_path / "spark", ("spark",))
    assert found["cereal", "Figure 2"].tables and found["cereal", "Table III"].tables
    assert found["cereal", "Figure 14"].absent.startswith("not measured: run `make bench SUITE=cereal`")
    assert not any("computed" in each[1] for each in found["skyway", "Figure 8(a)"].tables[0].lines)


def test_without_spark_the_command_is_named(tmp_path):
    found = figures(tmp_path / "cereal", ("cereal", "skyway"))
    for number in ("Figure 2", "Figure 14", "Table III"):
        assert found["cereal", number].absent == "not measured: run `make spark`."
    assert "`make spark`" in " ".join(found["skyway", "Figure 8(a)"].text)


def test_a_program_whose_computation_depends_on_the_serializer_is_not_shown(tmp_path, monkeypatch):
    made = made_up.spark()
    for row in made:
        if (row["case"], row["engine"]) in (("svm", "kryo"), ("page-rank", "kryo")):
            row["computation_ns"] = int(1.2 * row["computation_ns"])
    monkeypatch.setattr(made_up, "spark", lambda: made)
    found = figures(tmp_path / "uneven")
    for item, program in (
        (found["cereal", "Figure 2"], "svm"),
        (found["cereal", "Figure 14"], "svm"),
        (found["skyway", "Figure 8(a)"], "page-rank"),
    ):
        told = next(text for text in item.text if "**Not shown**" in text)
        assert "by more than 5 %" in told and f"{program} by 20." in told and "nweight" not in told
        assert not any(line[0] == program for table in item.tables[-1:] for line in table.lines) and item.tables
    assert line(found["cereal", "Table III"], "svm"), "its input is told"


def test_amdahl():
    row = {"run_ns": 100, "serialize_ns": 20, "deserialize_ns": 30, "write_ns": 1, "read_ns": 2, "computation_ns": 47}
    assert spark.whole(row, (1, 1)) == pytest.approx(1)
    assert spark.whole(row, (1e9, 1e9)) == pytest.approx(2)
    assert sum(spark.shares(row).values()) == pytest.approx(1)
