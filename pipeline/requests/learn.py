"""Request of `learn`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pipeline.requests.evaluation import EvaluationPlan
from pipeline.requests.fit import FitPlan
from pipeline.requests.request import Request
from pipeline.requests.rounds import RoundsPlan
from pipeline.requests.tune import TunePlan
from solver.commands.subjects import absolute


@dataclasses.dataclass(frozen=True)
class LearnRequest(Request):
    """Request of `learn`, complete: no default is left to choose."""

    subject: str
    """Name of a domain, or of a file that defines one."""
    generator: dict[str, Any]
    """Parameters of the maker of solved instances."""
    options: dict[str, Any]
    """Options of the domain while solutions are replayed."""
    instances: int
    seed: int
    prior_code: str
    fit: FitPlan
    tune: TunePlan
    rounds: RoundsPlan
    smoothing: float
    temperature: float
    out: str
    """File of the table."""
    work: str
    """Folder of shards."""
    threads: int
    replace: bool
    """True if a model that was learned in another way may be replaced without an evaluation."""
    evaluation: EvaluationPlan
    command: str
    """Command that makes the same table again."""

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Self:
        """See `Request.of`."""
        request = super().of(plain)
        evaluation: Any = request.evaluation
        fit: Any = request.fit
        tune: Any = request.tune
        rounds: Any = request.rounds
        return dataclasses.replace(
            request,
            evaluation=EvaluationPlan(**evaluation),
            fit=FitPlan(**fit),
            tune=TunePlan(**tune),
            rounds=RoundsPlan(**rounds),
        )

    @property
    def anywhere(self) -> Self:
        """The same request for a process that stands in another folder."""
        return dataclasses.replace(
            self,
            subject=absolute(self.subject),
            tune=dataclasses.replace(
                self.tune,
                tune_set=str(Path(self.tune.tune_set).absolute())
                if Path(self.tune.tune_set).is_file()
                else self.tune.tune_set,
            ),
            fit=dataclasses.replace(
                self.fit, fit_from=self.fit.fit_from and str(Path(self.fit.fit_from).absolute())
            ),
            out=str(Path(self.out).absolute()),
            work=str(Path(self.work).absolute()),
        )
