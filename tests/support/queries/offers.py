"""Destinations that the tests of the families plan for: rich, made up, and without tables."""

from __future__ import annotations

from dataclasses import replace

from queries.grounding import Destination, Offer, Origin, offer_published
from schemas.cities import find_city

CITIES = tuple(find_city(name) for name in ("hangzhou", "beijing", "chengdu", "wuhan", "suzhou"))
CITY = CITIES[0]
OFFER = Offer(
    features=("湖景房", "民宿", "泳池"),
    cuisines=("江浙菜", "火锅", "素食"),
    types=("历史古迹", "公园", "亲子友好"),
    origins=(
        Origin(find_city("beijing"), by_train=True, by_flight=True, round_trip_cents=90_000),
        Origin(find_city("suzhou"), by_train=False, by_flight=False, round_trip_cents=9_000),
    ),
    room_cents=20_000,
    meal_cents=3_000,
)
#: Every published tag, and a few made-up names.
PLACES = tuple(
    Destination(
        city,
        replace(
            offer_published(city, CITIES),
            attractions=("石塔公园", "望江楼", "老城墙遗址"),
            restaurants=("阿婆小馆", "江边酒楼"),
            hotels=("临江大酒店", "西子宾馆"),
            names_en={
                "石塔公园": "Stone Pagoda Park",
                "望江楼": "River View Tower",
                "老城墙遗址": "Old City Wall",
                "阿婆小馆": "Granny's Kitchen",
                "江边酒楼": "Riverside Restaurant",
                "临江大酒店": "Linjiang Grand Hotel",
                "西子宾馆": "Xizi Guest House",
            },
            room_cents=20_000,
            meal_cents=3_000,
        ),
    )
    for city in CITIES
)
