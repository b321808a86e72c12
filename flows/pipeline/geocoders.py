"""Geocoders by name, with the accounts of the settings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from flows.errors import SettingsError
from flows.settings.profile import GeocodingSettings
from geocoding.geocoders import Geocoder
from geocoding.geocoders.layouts import LayoutError
from schemas.geo import Datum

GEOCODERS = ("gazetteer", "amap", "baidu", "nominatim")


def make_geocoder(name: str, files: Sequence[Path], datum: Datum) -> Geocoder:
    """A geocoder by name; accounts come from the environment, never from options.

    Raises SettingsError when it is unknown or lacks its file, key or contact.
    """
    if name == "gazetteer":
        from geocoding.geocoders.gazetteer import Gazetteer

        if not files:
            raise SettingsError("the gazetteer needs --gazetteer FILE (Parquet, CSV or GeoJSON)")
        try:
            return Gazetteer.of(*files, datum=datum)
        except LayoutError as error:
            raise SettingsError(str(error)) from None
    if name == "amap":
        from geocoding.geocoders import amap

        secret = os.environ.get("TRIPBED_AMAP_SECRET")
        address = os.environ.get("TRIPBED_AMAP_URL") or amap.BASE_URL
        return amap.Amap(_account("TRIPBED_AMAP_KEY"), secret, base_url=address)
    if name == "baidu":
        from geocoding.geocoders import baidu

        secret = os.environ.get("TRIPBED_BAIDU_MAP_SECRET")
        address = os.environ.get("TRIPBED_BAIDU_MAP_URL") or baidu.BASE_URL
        return baidu.Baidu(_account("TRIPBED_BAIDU_MAP_KEY"), secret, base_url=address)
    if name == "nominatim":
        from geocoding.geocoders import nominatim

        address = os.environ.get("TRIPBED_NOMINATIM_URL") or nominatim.BASE_URL
        return nominatim.Nominatim(_account("TRIPBED_CONTACT"), base_url=address)
    raise SettingsError(f"no geocoder {name!r}: choose one of {', '.join(GEOCODERS)}")


def _account(variable: str) -> str:
    value = os.environ.get(variable, "").strip()
    if not value:
        raise SettingsError(f"set {variable} in the environment to use this geocoder")
    return value


def check_geocoders(settings: GeocodingSettings) -> None:
    """Raise SettingsError where a profile's geocoder lacks its file or account."""
    for file in settings.gazetteers:
        if not Path(file).is_file():
            raise SettingsError(f"geocoding.gazetteers: there is no file {file}")
    for name in settings.providers:
        if name != "gazetteer":
            make_geocoder(name, (), checked_datum(settings.datum))


def checked_datum(name: str) -> Datum:
    """A coordinate system by its name. Raises SettingsError."""
    from geocoding.datum import DATUMS

    for datum_name in DATUMS:
        if name == datum_name:
            return datum_name
    raise SettingsError(f"no coordinate system {name!r}: choose one of {', '.join(DATUMS)}")
