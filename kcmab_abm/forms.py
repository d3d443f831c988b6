"""The shape of a scenario file: pydantic models made from the catalogue, and their JSON Schema.

The models only describe and check; `scenario.py` turns what they accept into the objects that the
engines use.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, create_model

from kcmab_abm.catalogue import BEHAVIOURS, LARGEST_WHOLE, LAWS, POLICIES, Entry, Parameter
from kcmab_abm.points import SweepTable

LARGEST_HORIZON = 10**11
LARGEST_REPLICATIONS = 10**8
LARGEST_SEED = 2**63 - 1
LARGEST_MARKET = 10_000  # arms
LARGEST_AMOUNT = 1e12  # of time or money: sums over many customers stay finite


class Form(BaseModel):
    """A table of a scenario file: no unknown keys, no silent conversions, no NaN."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Constant(Form):
    """The same duration for everybody."""

    law: Literal["constant"]
    value: float = Field(ge=0, le=LARGEST_AMOUNT, description="time units")


class Exponential(Form):
    """Durations without memory."""

    law: Literal["exponential"]
    mean: float = Field(gt=0, le=LARGEST_AMOUNT, description="time units")


class Uniform(Form):
    """Durations spread evenly between two ends."""

    law: Literal["uniform"]
    low: float = Field(ge=0, le=LARGEST_AMOUNT, description="time units")
    high: float = Field(ge=0, le=LARGEST_AMOUNT, description="time units")


class Slots(Form):
    """One customer a time slot, at 1, 2, 3, ..."""

    process: Literal["slots"]


class Poisson(Form):
    """Customers who arrive at random, `rate` of them a time unit on average."""

    process: Literal["poisson"]
    rate: float = Field(
        1.0, ge=1 / LARGEST_AMOUNT, le=LARGEST_AMOUNT, description="customers a time unit"
    )


class Trace(Form):
    """Customers who arrive at the times listed in a file, one a line, never decreasing."""

    process: Literal["trace"]
    file: str = Field(min_length=1, description="path, relative to the scenario file")


def _shape(value: Any) -> str:
    return "list" if isinstance(value, list) else "table"


def _number_or_table(value: Any) -> str:
    return "table" if isinstance(value, dict | BaseModel) else "number"


def _tagged(models: Iterable[type[BaseModel]], key: str) -> Any:
    return Annotated[Union[tuple(models)], Field(discriminator=key)]  # noqa: UP007


Arrivals = Annotated[Slots | Poisson | Trace, Field(discriminator="process")]
Duration = Annotated[
    Annotated[Annotated[float, Field(ge=0, le=LARGEST_AMOUNT)], Tag("number")]
    | Annotated[
        Annotated[Constant | Exponential | Uniform, Field(discriminator="law")], Tag("table")
    ],
    Discriminator(_number_or_table),
]


def _parameter_field(parameter: Parameter) -> Any:
    bounds = {sign: getattr(parameter, sign) for sign in ("gt", "ge", "lt", "le")}
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
        __base__=Form,
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


def scenario_form() -> type[BaseModel]:
    """The model of a whole scenario file, for the catalogue as it is now."""
    laws = _tagged(_law_models(), "law")
    arms = Annotated[
        Annotated[laws, Tag("table")]  # type: ignore[valid-type]
        | Annotated[Annotated[list[laws], Field(min_length=1)], Tag("list")],  # type: ignore[valid-type]
        Discriminator(_shape),
    ]
    label: Any = (
        str | None,
        Field(None, min_length=1, max_length=80, description="how tables and figures call it"),
    )
    one_policy = _tagged([_entry_model(each, "name", label=label) for each in POLICIES], "name")
    policies: Any = (
        list[one_policy],  # type: ignore[valid-type]
        Field(min_length=1, description="the controllers to compare"),
    )
    customers = _tagged([_entry_model(each, "behaviour") for each in BEHAVIOURS], "behaviour")
    ties: Any = (
        Literal["random", "first"],
        Field("random", description="how equal arms are told apart; 'first' for comparison only"),
    )
    market = create_model(
        "market",
        __base__=Form,
        arms=(arms, Field(description="one table for arms of one law, or a list of such tables")),
        customers=(customers, Field({"behaviour": "greedy"}, validate_default=True)),
        arrivals=(Arrivals, Field({"process": "slots"}, validate_default=True)),
        ties=ties,
        seeding_cost=(
            float,
            Field(
                0.0,
                ge=0,
                le=LARGEST_AMOUNT,
                description="paid to a customer directed to an arm with no report",
            ),
        ),
        service_time=(Duration, Field(0.0, description="from choosing to having consumed")),
        report_delay=(Duration, Field(0.0, description="from having consumed to being read")),
        report_probability=(
            float,
            Field(1.0, gt=0, le=1, description="chance that a customer reports at all"),
        ),
    )
    return create_model(
        "kcmab scenario",
        __base__=Form,
        title=(str, Field("", max_length=200, description="one line for tables and figures")),
        horizon=(int, Field(ge=1, le=LARGEST_HORIZON, description="T, customers a replication")),
        replications=(int, Field(1000, ge=1, le=LARGEST_REPLICATIONS, description="markets run")),
        seed=(int, Field(0, ge=0, le=LARGEST_SEED, description="same seed, same results")),
        market=(market, Field()),
        policy=policies,
        sweep=(SweepTable | None, Field(None, description="settings to vary, and how")),
    )


def json_schema() -> dict[str, Any]:
    """The JSON Schema of scenario files, for editors that complete and check TOML."""
    schema = scenario_form().model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def keys_by_place(form: type[BaseModel]) -> dict[tuple[str, ...], list[str]]:
    """The keys allowed in every table of the form, by the table's place (tags included)."""
    market = form.model_fields["market"].annotation
    assert market is not None
    places = {(): list(form.model_fields), ("market",): list(market.model_fields)}
    groups: list[tuple[tuple[str, ...], Iterable[tuple[str, list[str]]]]] = [
        (("policy",), [(e.name, ["name", "label", *e.parameters]) for e in POLICIES]),
        (("market", "customers"), [(e.name, ["behaviour", *e.parameters]) for e in BEHAVIOURS]),
        *(
            (("market", "arms", shape), [(w.name, ["law", *w.settings.model_fields]) for w in LAWS])
            for shape in ("table", "list")
        ),
        (("market", "arrivals"), _static(Slots, Poisson, Trace)),
        *(
            (("market", word, "table"), _static(Constant, Exponential, Uniform))
            for word in ("service_time", "report_delay")
        ),
    ]
    places["sweep",] = list(SweepTable.model_fields)
    for place, tables in groups:
        places.update({(*place, tag): keys for tag, keys in tables})
    return places


def _static(*models: type[BaseModel]) -> list[tuple[str, list[str]]]:
    return [(model.__name__.lower(), list(model.model_fields)) for model in models]
