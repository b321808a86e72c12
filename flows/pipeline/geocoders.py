"""Creates geocoders by name; each geocoder uses the account in the settings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import SecretStr

from flows.errors import SettingsError
from flows.settings.environment import Settings, variable_of
from flows.settings.profile import GeocodingSettings
from geocoding.datum import DATUMS
from geocoding.geocoders import Geocoder, amap, baidu, nominatim
from geocoding.geocoders.gazetteer import GazetteerGeocoder
from geocoding.geocoders.layouts import LayoutError
from schemas.geo import Datum

GEOCODERS = ("gazetteer", "amap", "baidu", "nominatim")


def make_geocoder(name: str, files: Sequence[Path], datum: Datum, settings: Settings) -> Geocoder:
    """Return the geocoder with this name; accounts come from the settings, never from options.

    Raises SettingsError if the name is unknown or if the geocoder lacks its file, key or contact.
    """
    if name == "gazetteer":
        if not files:
            raise SettingsError("the gazetteer needs --gazetteer FILE (Parquet, CSV or GeoJSON)")
        try:
            return GazetteerGeocoder.of(*files, datum=datum)
        except LayoutError as error:
            raise SettingsError(str(error)) from None
    if name == "amap":
        return amap.Amap(
            _account("amap_key", settings),
            _plain(settings.amap_secret),
            base_url=settings.amap_url or amap.BASE_URL,
        )
    if name == "baidu":
        return baidu.BaiduGeocoder(
            _account("baidu_map_key", settings),
            _plain(settings.baidu_map_secret),
            base_url=settings.baidu_map_url or baidu.BASE_URL,
        )
    if name == "nominatim":
        return nominatim.Nominatim(
            _account("contact", settings), base_url=settings.nominatim_url or nominatim.BASE_URL
        )
    raise SettingsError(f"unknown geocoder {name!r}: choose one of {', '.join(GEOCODERS)}")


def _account(field: str, settings: Settings) -> str:
    value = (_plain(getattr(settings, field)) or "").strip()
    if not value:
        raise SettingsError(f"set {variable_of(field)} in the environment to use this geocoder")
    return value


def _plain(value: SecretStr | str | None) -> str | None:
    return value.get_secret_value() if isinstance(value, SecretStr) else value


def check_geocoders(wanted: GeocodingSettings, settings: Settings) -> None:
    """Raise SettingsError if a geocoder named in the profile lacks its file or account."""
    for file in wanted.gazetteers:
        if not Path(file).is_file():
            raise SettingsError(f"geocoding.gazetteers: the file {file} does not exist")
    for name in wanted.providers:
        if name != "gazetteer":
            make_geocoder(name, (), check_datum(wanted.datum), settings)


def check_datum(name: str) -> Datum:
    """Return the coordinate system with this name; raise SettingsError if the name is unknown."""
    if name not in DATUMS:
        raise SettingsError(
            f"unknown coordinate system {name!r}: choose one of {', '.join(DATUMS)}"
        )
    return name
