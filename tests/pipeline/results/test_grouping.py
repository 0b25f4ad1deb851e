"""Methods in the order of the report: by name, and by the values of their settings."""

from __future__ import annotations

from pathlib import Path

from pipeline.results.reading import read_report_data
from tests.pipeline.reports.report_runs import a_run, save


def test_methods_that_differ_in_a_number_come_by_its_value(tmp_path: Path) -> None:
    """An alpha of 2 before one of 10, though as text it is behind; 1 and 1.0 are two, too."""
    texts = ['{"alpha": 10}', '{"alpha": 1.0}', '{"alpha": 2}', '{"alpha": 1}', '{"alpha": 0.5}']
    runs = [a_run("order 9", 0, "nrpa", "none", settings=text) for text in texts]
    read = read_report_data([save(tmp_path, runs)])
    labels = [method.label for method in read.methods]
    values = [label.split("alpha ")[1].strip(")") for label in labels]
    assert values == ["0.5", "1.0", "1", "2", "10"]
