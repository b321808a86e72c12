"""Categories of OpenStreetMap and Overture Maps in tripbed's taxonomies.

OpenStreetMap: the documented values of ``tourism``, ``historic``, ``leisure``, ``natural``,
``amenity``, ``shop`` and ``cuisine`` (wiki.openstreetmap.org, Map features). Overture: the codes
of its place categories (docs.overturemaps.org, guides/places). The mapping is our reading; a
value without an entry is no place of the sandbox, or of an unknown type.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """What a category makes of a place: its table, and the code within the table.

    ``code`` is a base type of an attraction, a cuisine of a restaurant, a feature of a hotel, or
    empty. ``category`` is a category of TP-RAG that the base type does not give.
    """

    table: str
    code: str = ""
    category: str = ""


def _kinds(table: str, codes: Mapping[str, str]) -> dict[str, Kind]:
    return {value: Kind(table, code) for code, values in codes.items() for value in values.split()}


#: OpenStreetMap, as ``key=value``; the first tag of a feature in this order decides.
OSM_KINDS: dict[str, Kind] = {
    **_kinds("hotels", {
        "": "tourism=hotel tourism=hostel tourism=motel",
        "homestay": "tourism=guest_house",
        "apartment": "tourism=apartment",
        "villa": "tourism=chalet",
    }),
    **_kinds("attractions", {
        "museum_memorial": "tourism=museum historic=memorial",
        "art_gallery": "tourism=gallery amenity=arts_centre",
        "amusement_sports": "tourism=theme_park tourism=zoo tourism=aquarium leisure=water_park",
        "historic_site": "historic=castle historic=monument historic=archaeological_site "
        "historic=ruins historic=city_gate historic=citywalls historic=tower historic=tomb "
        "historic=fort historic=building historic=palace historic=heritage historic=pagoda",
        "natural_scenery": "natural=peak natural=beach natural=cave_entrance natural=waterfall "
        "waterway=waterfall leisure=nature_reserve boundary=national_park",
        "park": "leisure=park",
        "garden": "leisure=garden",
        "library": "amenity=library",
        "university_campus": "amenity=university",
        "commercial_district": "shop=mall amenity=marketplace",
        "cultural_landscape": "tourism=viewpoint",
        "": "tourism=attraction",
    }),
    "amenity=place_of_worship": Kind("attractions", "", "religious_spiritual"),
    **_kinds("restaurants", {
        "": "amenity=restaurant amenity=food_court",
        "fast_food": "amenity=fast_food",
        "cafe": "amenity=cafe",
        "bar": "amenity=bar amenity=pub amenity=biergarten",
        "bakery": "shop=bakery shop=pastry amenity=ice_cream",
        "tea_house": "shop=tea",
    }),
    **_kinds("hubs", {"": "railway=station aeroway=aerodrome"}),
}  # fmt: skip

#: OpenStreetMap's ``cuisine`` (and Overture's ``<cuisine>_restaurant``) in the one vocabulary.
CUISINE_WORDS: dict[str, str] = {
    word: code
    for code, words in {
        "bakery": "bakery dessert cake pastry donut ice_cream waffle pancake crepe desserts",
        "fast_food": "burger sandwich fast_food fried_chicken hot_dog",
        "barbecue": "barbecue bbq grill yakiniku kebab_grill",
        "tea_house": "tea bubble_tea",
        "vegetarian": "vegetarian vegan",
        "cafe": "coffee_shop coffee cafe",
        "cantonese": "cantonese dim_sum dimsum hong_kong",
        "japanese": "japanese sushi ramen udon tempura teppanyaki izakaya",
        "korean": "korean",
        "halal": "halal muslim",
        "western": "western pizza italian french german spanish steak_house steak american "
        "european mediterranean greek russian portuguese british italian_pizza",
        "hot_pot": "hotpot hot_pot",
        "shanghainese": "shanghai shanghainese",
        "jiangzhe": "jiangsu zhejiang huaiyang hangzhou suzhou",
        "sichuan": "sichuan szechuan chongqing",
        "northwestern": "shaanxi shanxi lanzhou northwestern",
        "southeast_asian": "thai vietnamese indonesian malaysian singaporean filipino burmese",
        "xinjiang": "xinjiang uyghur uighur",
        "hunan": "hunan",
        "beijing": "beijing peking_duck",
        "taiwanese": "taiwanese",
        "seafood": "seafood fish",
        "hakka": "hakka",
        "bar": "bar pub",
        "northeastern": "dongbei northeastern",
        "buffet": "buffet",
        "fusion": "fusion",
        "yunnan": "yunnan",
        "shandong": "shandong",
        "tibetan": "tibetan",
        "middle_eastern": "middle_eastern arab turkish lebanese persian kebab israeli",
        "latin_american": "latin_american mexican brazilian peruvian argentinian tex-mex",
        "asian": "asian indian nepalese pan_asian",
        "snacks": "noodle noodles dumpling dumplings porridge street_food snack rice_noodles",
        "other_chinese": "chinese",
    }.items()
    for word in words.split()
}

#: Overture's categories.
OVERTURE_KINDS: dict[str, Kind] = {
    **_kinds("hotels", {
        "": "hotel hostel motel resort lodge accommodation bed_and_breakfast",
        "inn": "inn",
        "homestay": "guest_house holiday_rental_home",
        "apartment": "service_apartments",
        "hot_spring": "hot_springs_resort",
    }),
    **_kinds("attractions", {
        "museum_memorial": "museum history_museum science_museum memorial_park childrens_museum "
        "military_museum",
        "art_gallery": "art_gallery art_museum modern_art_museum contemporary_art_museum",
        "historic_site": "landmark_and_historical_building monument castle fort palace "
        "historical_tours ruin",
        "natural_scenery": "beach lake mountain waterfall cave nature_reserve national_park island "
        "river hot_springs canyon",
        "park": "park state_park dog_park",
        "garden": "botanical_garden garden",
        "amusement_sports": "amusement_park zoo aquarium water_park theme_park stadium_arena",
        "library": "library",
        "university_campus": "college_university",
        "commercial_district": "shopping_center night_market",
        "cultural_landscape": "lookout bridge plaza observatory tower",
        "cultural_tourism_area": "cultural_center",
        "": "attractions_and_activities tourist_attraction topic_concert_venue sightseeing",
    }),
    **{
        name: Kind("attractions", "", "religious_spiritual")
        for name in (
            "buddhist_temple", "hindu_temple", "temple", "mosque", "church_cathedral",
            "catholic_church", "religious_organization", "shrine", "synagogue",
        )
    },
    **_kinds("restaurants", {
        "": "restaurant eat_and_drink food_court diner",
        "bar": "bar pub cocktail_bar wine_bar beer_bar brewery",
        "cafe": "cafe coffee_shop",
        "tea_house": "tea_room",
        "bakery": "bakery dessert_shop ice_cream_shop cupcake_shop",
        "fast_food": "fast_food_restaurant burger_restaurant sandwich_shop",
        "seafood": "seafood_restaurant",
        "barbecue": "barbecue_restaurant",
        "hot_pot": "hot_pot_restaurant",
        "buffet": "buffet_restaurant",
    }),
    **_kinds("hubs", {"": "airport train_station"}),
}  # fmt: skip


def overture_kind(category: str) -> Kind | None:
    """What an Overture category means; ``<cuisine>_restaurant`` is a restaurant of the cuisine."""
    kind = OVERTURE_KINDS.get(category)
    if kind is None and category.endswith("_restaurant"):
        return Kind("restaurants", CUISINE_WORDS.get(category.removesuffix("_restaurant"), ""))
    return kind


def cuisine_of(words: str) -> str | None:
    """Code of the first known cuisine of a list with semicolons; a general word comes last."""
    found = [
        CUISINE_WORDS[word]
        for part in words.split(";")
        if (word := part.strip().casefold().replace(" ", "_")) in CUISINE_WORDS
    ]
    specific = [code for code in found if code not in ("other_chinese", "asian", "western")]
    return next(iter(specific or found), None)
