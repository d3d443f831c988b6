"""The shape of a scenario file: pydantic models made from the catalogue, and their JSON Schema.

The models only describe and check; `scenario.py` turns what they accept into the objects that the
engines use.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, Discriminator, Field, Tag, create_model

from kcmab_abm.catalogue import BEHAVIOURS, LAWS, POLICIES, PRICING
from kcmab_abm.entries import LARGEST_WHOLE, Entry, Parameter, Settings
from kcmab_abm.points import SweepTable
from kcmab_abm.shapes import (
    LARGEST_AMOUNT,
    LARGEST_HORIZON,
    LARGEST_MARKET,
    LARGEST_REPLICATIONS,
    LARGEST_SEED,
    Arrivals,
    Capacity,
    Change,
    Constant,
    Duration,
    Exponential,
    Piecewise,
    Poisson,
    PrecisionTable,
    RandomWalk,
    Sample,
    Seasonal,
    Slots,
    Trace,
    Uniform,
    shape,
)


def _tagged(models: Iterable[type[BaseModel]], key: str) -> Any:
    return Annotated[Union[tuple(models)], Field(discriminator=key)]  # noqa: UP007


def _parameter_field(parameter: Parameter) -> Any:
    bounds = {sign: getattr(parameter, sign) for sign in ("gt", "ge", "lt", "le")}
    if isinstance(parameter.default, bool):
        return bool, Field(parameter.default, description=parameter.about)
    if isinstance(parameter.default, int):
        bounds["le"] = min(LARGEST_WHOLE, bounds["le"] or LARGEST_WHOLE)
    return (
        type(parameter.default),
        Field(parameter.default, description=parameter.about, **bounds),
    )


def _entry_model(entry: Entry, key: str, **extra: Any) -> type[BaseModel]:
    fields = {word: _parameter_field(each) for word, each in entry.parameters.items()}
    name_field: Any = (Literal[entry.name], Field(description=entry.about))
    return create_model(
        f"{entry.kind} {entry.name}",
        __base__=entry.settings or Settings,
        __doc__=entry.about,
        **{key: name_field},
        **extra,
        **fields,
    )


def _law_models() -> list[type[BaseModel]]:
    models: list[type[BaseModel]] = []
    for law in LAWS:
        law_field: Any = (Literal[law.name], Field(description=law.about))
        models.append(
            create_model(f"law {law.name}", __base__=law.settings, __doc__=law.about, law=law_field)
        )
    return models


def _optional(kind: Any, description: str, **bounds: Any) -> Any:
    return kind | None, Field(None, description=description, **bounds)


def _arms() -> Any:
    laws = _tagged(_law_models(), "law")
    shapes = Annotated[
        Annotated[laws, Tag("table")]  # type: ignore[valid-type]
        | Annotated[Annotated[list[laws], Field(min_length=1)], Tag("list")],  # type: ignore[valid-type]
        Discriminator(shape),
    ]
    return shapes, Field(description="one table for arms of one law, or a list of such tables")


def _customers() -> Any:
    weight: Any = (float, Field(1.0, ge=0, le=LARGEST_AMOUNT, description="of this kind, relative"))
    kinds = [each for each in BEHAVIOURS if each.compose is None]
    parts = _tagged([_entry_model(each, "behaviour", weight=weight) for each in kinds], "behaviour")
    several: Any = (
        list[parts],  # type: ignore[valid-type]
        Field(min_length=1, max_length=20, description="the kinds of customers, with weights"),
    )
    models = [
        _entry_model(each, "behaviour", **({"of": several} if each.compose else {}))
        for each in BEHAVIOURS
    ]
    return _tagged(models, "behaviour"), Field({"behaviour": "greedy"}, validate_default=True)


def _market() -> type[BaseModel]:
    ties: Any = (
        Literal["random", "first"],
        Field("random", description="how equal arms are told apart; 'first' for comparison only"),
    )
    amount: dict[str, Any] = {"ge": 0, "le": LARGEST_AMOUNT}
    when_full: Any = (
        Literal["wait", "switch", "leave"],
        Field("wait", description="what a customer does who finds the arm busy"),
    )
    return create_model(
        "market",
        __base__=Settings,
        arms=_arms(),
        change=_optional(Change, "how the true means change, if they do"),
        customers=_customers(),
        arrivals=(Arrivals, Field({"process": "slots"}, validate_default=True)),
        ties=ties,
        seeding_cost=(
            float,
            Field(
                0.0, description="paid to a customer directed to an arm with no report", **amount
            ),
        ),
        service_time=(Duration, Field(0.0, description="from choosing to having consumed")),
        report_delay=(Duration, Field(0.0, description="from having consumed to being read")),
        report_probability=(
            float,
            Field(1.0, gt=0, le=1, description="chance that a customer reports at all"),
        ),
        capacity=_optional(Capacity, "customers that an arm serves at a time, or a list of them"),
        when_full=when_full,
        patience=_optional(Duration, "how long a waiting customer stays; for ever unless given"),
    )


def _purse() -> type[BaseModel]:
    rules = _tagged([_entry_model(each, "rule") for each in PRICING], "rule")
    amount: dict[str, Any] = {"ge": 0, "le": LARGEST_AMOUNT}
    when_short: Any = (
        Literal["refuse", "pay-rest"],
        Field("refuse", description="offer nothing, or what is left, when a budget runs short"),
    )
    return create_model(
        "purse",
        __base__=Settings,
        __doc__="How much the controller offers, and what it can spend.",
        offer=(rules, Field({"rule": "least"}, validate_default=True)),
        cap=_optional(float, "the most that is offered to a customer", **amount),
        budget=_optional(float, "the most that is paid to all customers together", **amount),
        period=_optional(int, "customers a period", ge=1, le=LARGEST_HORIZON),
        period_budget=_optional(float, "the most that is paid in a period", **amount),
        when_short=when_short,
        also=(int, Field(0, ge=0, le=LARGEST_MARKET, description="arms offered beside the target")),
        misjudgement=(
            float,
            Field(0.0, description="standard deviation of the controller's estimates", **amount),
        ),
    )


def scenario_form() -> type[BaseModel]:
    """The model of a whole scenario file, for the catalogue as it is now."""
    return _scenario_form(*(tuple(each) for each in (POLICIES, BEHAVIOURS, PRICING, LAWS)))


@lru_cache(maxsize=4)  # building the models takes ten times as long as using them
def _scenario_form(*catalogues: tuple[object, ...]) -> type[BaseModel]:
    label: Any = (
        str | None,
        Field(None, min_length=1, max_length=80, description="how tables and figures call it"),
    )
    one_policy = _tagged([_entry_model(each, "name", label=label) for each in POLICIES], "name")
    policies: Any = (
        list[one_policy],  # type: ignore[valid-type]
        Field(min_length=1, description="the controllers to compare"),
    )
    record: Any = (
        Literal["curves", "paths", "sample"],
        Field(
            "curves",
            description="what is kept: sums at checkpoints, every customer's line, or the lines "
            "of some replications",
        ),
    )
    return create_model(
        "kcmab scenario",
        __base__=Settings,
        title=(str, Field("", max_length=200, description="one line for tables and figures")),
        horizon=(int, Field(ge=1, le=LARGEST_HORIZON, description="T, customers a replication")),
        replications=(int, Field(1000, ge=1, le=LARGEST_REPLICATIONS, description="markets run")),
        precision=_optional(PrecisionTable, "run until means are known as precisely as this"),
        seed=(int, Field(0, ge=0, le=LARGEST_SEED, description="same seed, same results")),
        record=record,
        sample=_optional(
            Sample, 'replications to keep with record = "sample"; the first ten unless given'
        ),
        market=(_market(), Field()),
        purse=(_purse(), Field({}, validate_default=True)),
        policy=policies,
        sweep=(SweepTable | None, Field(None, description="settings to vary, and how")),
    )


def json_schema() -> dict[str, Any]:
    """The JSON Schema of scenario files, for editors that complete and check TOML."""
    schema = scenario_form().model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def keys_by_place(form: type[BaseModel]) -> dict[tuple[str, ...], list[str]]:
    """The keys allowed in every table of the form, by the table's place (tags included)."""
    places: dict[tuple[str, ...], list[str]] = {(): list(form.model_fields)}
    for word in ("market", "purse"):
        table = form.model_fields[word].annotation
        assert table is not None
        places[word,] = list(table.model_fields)
    durations = _static(constant=Constant, exponential=Exponential, uniform=Uniform)
    kinds = [
        (each.name, ["behaviour", *(["of"] if each.compose else []), *each.defaults()])
        for each in BEHAVIOURS
    ]
    groups: list[tuple[tuple[str, ...], Iterable[tuple[str, list[str]]]]] = [
        (("policy",), [(e.name, ["name", "label", *e.parameters]) for e in POLICIES]),
        (("purse", "offer"), [(e.name, ["rule", *e.parameters]) for e in PRICING]),
        (("market", "customers"), kinds),
        *(
            (
                ("market", "customers", each.name, "of"),
                [(tag, [*words, "weight"]) for tag, words in kinds],
            )
            for each in BEHAVIOURS
            if each.compose
        ),
        *(
            (("market", "arms", shape), [(w.name, ["law", *w.settings.model_fields]) for w in LAWS])
            for shape in ("table", "list")
        ),
        (("market", "arrivals"), _static(slots=Slots, poisson=Poisson, trace=Trace)),
        (
            ("market", "change"),
            _static(piecewise=Piecewise, random_walk=RandomWalk, seasonal=Seasonal),
        ),
        *(
            (("market", word, "table"), durations)
            for word in ("service_time", "report_delay", "patience")
        ),
    ]
    places["sweep",] = list(SweepTable.model_fields)
    places["precision",] = list(PrecisionTable.model_fields)
    for place, tables in groups:
        places.update({(*place, tag): keys for tag, keys in tables})
    return places


def _static(**models: type[BaseModel]) -> list[tuple[str, list[str]]]:
    return [(name.replace("_", "-"), list(each.model_fields)) for name, each in models.items()]
