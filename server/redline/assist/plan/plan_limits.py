"""What a plan may cost, and which models it needs."""

from __future__ import annotations

from redline.assist.plan.plan_tools import PlanTools
from redline.errors import InvalidArgumentsError, NoModelError, PlanStateError
from redline.plans.record import PlanRecord, PlanRequest
from redline.routing.route import Tier

_TIERS: tuple[Tier, ...] = ("fast", "standard", "deep")


class PlanLimits:
    """The limits of the plans of one server."""

    def __init__(self, tools: PlanTools) -> None:
        self._tools = tools

    def max_cost(self, request: PlanRequest) -> float | None:
        """Return US dollars after which no model is asked; None: any amount."""
        if request.max_cost is not None:
            return request.max_cost
        return self._tools.services.settings().plan.max_cost or None

    def check_cost(self, record: PlanRecord, estimate: float | None, what: str) -> None:
        """Refuse work that is likely to exceed the limit of a plan.

        Raises:
            PlanStateError: If it is.
        """
        limit, spent = self.max_cost(record.request), record.cost or 0.0
        if limit is not None and estimate is not None and spent + estimate > limit:
            raise PlanStateError(
                f"The cost of {what} is estimated at ${estimate:.4f}, ${spent:.4f} is "
                f"spent, and the limit is ${limit:.4f}, so no model was asked.",
                remedy="Plan less at a time, leave steps out, or raise "
                "`plan.max_cost`.",
            )

    def need_models(self, request: PlanRequest, tier: Tier | None = None) -> None:
        """Refuse to plan without a model, or with a limit that cannot be kept.

        Args:
            request: The plan.
            tier: The tier that is asked next; None: the one that plans.
        """
        model = self._tools.job.tiers.choose(tier or tier_of(request)).model
        if not model.describe().is_model:
            raise NoModelError(
                f"A {request.kind} needs a model, and none is configured.", model=""
            )
        if self.max_cost(request) is None:
            return
        for each in _TIERS:
            described = self._tools.job.tiers.choose(each).model.describe()
            if described.is_model and described.input_price is None:
                raise InvalidArgumentsError(
                    f"The price of model {described.label} is not known, so a cost "
                    "limit cannot be kept.",
                    remedy="Plan without a limit, or with another model.",
                )


def tier_of(request: PlanRequest) -> Tier:
    """Return the tier that plans, or that looks for a cause."""
    return next((tier for tier in _TIERS if tier == request.tier), "deep")
