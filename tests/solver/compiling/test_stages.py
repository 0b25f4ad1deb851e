"""Registrations that wait for the first compilation, in several threads."""

from __future__ import annotations

import threading

from solver.compiling.parts import _Stage


def test_a_registration_waits_for_no_other_thread() -> None:
    """The thread that registers may be importing what the other one, which registers, waits for."""
    stage, made = _Stage(), []
    begun, imported = threading.Event(), threading.Event()
    patient: list[bool] = []

    def register_after_import() -> None:
        begun.set()
        patient.append(imported.wait(60))

    stage.begin()
    other = threading.Thread(target=stage.add, args=(register_after_import,))
    other.start()
    assert begun.wait(60)
    stage.add(lambda: made.append("second"))  # in a module that is being imported
    imported.set()
    other.join()
    assert patient == [True]
    stage.begin()
    assert made == ["second"]
