"""Gates on amounts of money, which must have a currency, and on the cities' currencies."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from schemas.money import amount_unit, country_currency, currencies
from validators.gates.base import (
    Failure,
    Gate,
    GateContext,
    fact_tables,
    failing,
    failing_any,
    gathered,
)

#: Tables with one amount per row, besides the tables of facts.
_PRICED = ("restaurants", "trains", "flights")
#: Tables of local offers; a ticket to another country may be in another currency.
_LOCAL = ("hotels", "restaurants", "poi_facts")


@gathered
def currency(context: GateContext) -> Iterator[pl.DataFrame]:
    """Every amount has a currency, every currency belongs to an amount, and each currency is an ISO
    4217 code.
    """
    tables = {name: context.table(name) for name in (*fact_tables(context), *_PRICED)}
    amount = pl.col("rooms").list.eval(pl.element().struct.field("price_cents")).list.min()
    tables["hotels"] = context.table("hotels").with_columns(price_cents=amount)
    priced, told = pl.col("price_cents").is_not_null(), pl.col("currency").is_not_null()
    known = pl.col("currency").is_in(list(currencies()))
    checks = [
        (priced & ~told, "currency", "there is an amount but no currency"),
        (told & ~priced, "currency", "there is a currency but no amount"),
        (~known, "currency", "this is not a currency code from ISO 4217"),
    ]
    yield from (failing_any(name, rows, checks) for name, rows in tables.items())
    strange = pl.col("unit").str.starts_with("cent") & ~pl.col("unit").is_in(
        [amount_unit(code) for code in sorted(currencies())]
    )
    stats = context.table("city_stats")
    yield failing(
        "city_stats", stats, strange, "unit", "this unit does not contain a known currency code"
    )


def home_currency(context: GateContext) -> pl.DataFrame:
    """A city's currency is that of its country."""
    rows = context.table("cities")
    made = [country_currency(country) for country in rows["country_code"]]
    rows = rows.with_columns(home=pl.Series(made, dtype=pl.String))
    message = pl.format(
        "the currency of the city's country is {}", pl.col("home").fill_null("none")
    )
    bad = pl.col("currency").ne_missing(pl.col("home"))
    return failing("cities", rows, bad, "currency", message)


@gathered
def one_currency(context: GateContext) -> Iterator[Failure]:
    """All prices of a city's hotels, restaurants and sights are in one currency."""
    counts = (
        pl.concat(
            context.table(name)
            .filter(pl.col("fact_id").str.starts_with("fact_") if name == "poi_facts" else True)
            .select("city_id", "currency", table=pl.lit(name))
            for name in _LOCAL
        )
        .drop_nulls("currency")
        .group_by("city_id", "table", "currency")
        .len()
    )
    main = (
        counts.group_by("city_id", "currency")
        .agg(pl.col("len").sum())
        .sort("len", "currency", descending=[True, False])
        .unique("city_id", keep="first", maintain_order=True)
        .select("city_id", main="currency")
    )
    odd = counts.join(main, on="city_id").filter(pl.col("currency") != pl.col("main"))
    for row in odd.sort("city_id", "table", "currency").to_dicts():
        message = (
            f"{row['len']} rows have prices in this currency, but most of the city's prices are "
            f"in {row['main']}"
        )
        yield (row["table"], "currency", row["city_id"], row["currency"], message)


GATES = (
    Gate(
        "currency",
        currency,
        "Amounts have no meaning without a currency, and amounts in different currencies cannot "
        "be added.",
        "State the currency, or leave the amount unknown.",
    ),
    Gate(
        "home_currency",
        home_currency,
        "If several currencies share a symbol, tripbed assumes that the symbol stands for the "
        "city's currency.",
        "Take the currency from `schemas.money.country_currency`.",
    ),
    Gate(
        "one_currency",
        one_currency,
        "Prices in different currencies cannot be compared, because the smallest number is not "
        "necessarily the lowest price.",
        "Check the column `currency` of the source; tripbed never converts amounts.",
        "table",
        "warning",
    ),
)
