"""Holds the options of a build, checks them, and turns them into the build's inputs.

The check reads the profile and the files with readings and queries, and fetches folders that are
given by an address. Nothing is extracted, and no search is sent. ``begin_round`` then finds the
build's round of searches or begins a new one, which may be recorded in the archive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from extractors.own_readings import read_file
from flows.errors import SettingsError
from flows.pipeline.geocoders import check_geocoders
from flows.pipeline.stages.base import Inputs, Job, Web
from flows.pipeline.stages.fetch import round_of
from flows.queries.given import read_given
from flows.review.agreed_types import check_annotations
from flows.settings.checks import check_engine, check_layout
from flows.settings.environment import NO_SETTINGS, Settings
from flows.settings.profile import GeocodingSettings, Profile, load_profile
from schemas.cities import find_city
from schemas.city_names import split_names
from sources.tables.registry import cities_with_tables
from sources.web.archive import ArchiveError
from sources.web.providers.registry import check_provider
from sources.web.rounds import enter_round
from sources.web.settings import WebSettings
from storage.mirror import brought, remote_of
from storage.places import address_of, show_path
from validators.drift.find import CHECKS
from validators.drift.find import TABLES as DRIFT_TABLES


def make_inputs(
    cities: Sequence[str],
    documents: Sequence[str | Path] = (),
    tables: str | Path | None = None,
    tables_format: str = "tripbed",
    profile: str = "folder",
    engine: str = "rules",
    *,
    settings: Settings = NO_SETTINGS,
    readings: str | Path | None = None,
    assume_city: bool = False,
    web: Web | None = None,
    accept_drift: Sequence[str] = (),
    because: str | None = None,
    queries: Sequence[str | Path] = (),
) -> Inputs:
    """Return the checked inputs for a build; ``web`` is given if the build also searches the web.

    Settings are never read from the environment; only the given settings are used.

    Raises SettingsError, ReadingsError or UnknownCityError if an option is wrong; the message
    explains what to do.
    """
    if not cities:
        raise SettingsError("give at least one city with --city")
    check_engine(engine)
    check_layout(tables_format)
    chosen = load_profile(profile)
    _check_profile(chosen, settings, has_documents=bool(documents or web))
    if assume_city and not documents:
        raise SettingsError("--assume-city needs a folder of documents: give one with --documents")
    folder = brought(tables) if tables is not None else None
    if folder is not None and not folder.is_dir():
        raise SettingsError(f"there is no folder of tables at {folder}: check --tables")
    if folder is None and not documents and web is None:
        raise SettingsError("nothing to build from: give --documents, --search or --tables")
    names = [name for text in cities for name in split_names(text)]
    found = {city.city_id: city for city in map(find_city, names)}
    built = tuple(sorted(found.values(), key=lambda city: city.slug))
    known = cities_with_tables(folder, tables_format) if folder and (documents or web) else ()
    return Inputs(
        cities=built,
        profile=chosen,
        document_roots=tuple(brought(root) for root in documents),
        tables=folder,
        tables_format=tables_format,
        web=web,
        other_cities=tuple(city for city in known if city.city_id not in found),
        engine=engine,
        settings=settings,
        own_readings=read_file(Path(readings)) if readings is not None else None,
        queries=read_given([brought(path) for path in queries], built) if queries else None,
        assume_city=assume_city,
        accepted=_parse_accepted(accept_drift, because),
    )


def _check_profile(profile: Profile, settings: Settings, *, has_documents: bool) -> None:
    """Raise SettingsError if something that the profile needs is missing or not set up."""
    if profile.geocoding != GeocodingSettings():
        check_geocoders(profile.geocoding, settings)
    if profile.attractions.types:
        check_annotations(profile.attractions.types)
    if profile.needs_documents and not has_documents:
        raise SettingsError(
            f"the profile {profile.name} needs documents: give a folder with --documents or a "
            "search engine with --search, or build from tables alone with --profile tables"
        )


def bring_inputs(inputs: Inputs) -> None:
    """Copy the folders of the inputs to this machine, once per run."""
    folders = (*inputs.document_roots, *([inputs.tables] if inputs.tables else []))
    _bring(tuple(folder for folder in folders if address_of(folder)), inputs.run_id)


@cache
def _bring(folders: tuple[Path, ...], run_id: str | None) -> None:
    for folder in folders:
        brought(folder)


def _parse_accepted(names: Sequence[str], because: str | None) -> tuple[tuple[str, str, str], ...]:
    """Return each accepted change as table, check and reason; raise SettingsError if a change is
    not valid.
    """
    reason = (because or "").strip()
    if bool(names) != bool(reason):
        raise SettingsError(
            "--accept-drift TABLE.CHECK and --because TEXT must be given together: state what you "
            "accept and why"
        )
    found = []
    for name in names:
        table, _, check = name.partition(".")
        if table not in DRIFT_TABLES or check not in CHECKS:
            raise SettingsError(
                f"--accept-drift {name}: give TABLE.CHECK as the rejected build printed it; the"
                f" tables are {', '.join(DRIFT_TABLES)}, and the checks are {', '.join(CHECKS)}"
            )
        found.append((table, check, reason))
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class BuildRequest:
    """The options that all build commands share, as the user gave them."""

    cities: Sequence[str]
    documents: Sequence[Path]
    tables: Path | None
    tables_format: str
    profile: str
    engine: str
    settings: Settings
    readings: Path | None = None
    assume_city: bool = False
    accept_drift: Sequence[str] = ()
    because: str | None = None
    web: Web | None = None
    workers: int | None = None
    queries: Sequence[Path] = ()

    def inputs(self) -> Inputs:
        """Return the checked inputs.

        Raises SettingsError, ReadingsError or UnknownCityError if an option is wrong.
        """
        return make_inputs(
            self.cities,
            self.documents,
            self.tables,
            self.tables_format,
            self.profile,
            self.engine,
            settings=self.settings,
            readings=self.readings,
            assume_city=self.assume_city,
            web=self.web,
            accept_drift=self.accept_drift,
            because=self.because,
            queries=self.queries,
        )


def make_web(
    search: Sequence[str], archive: Path, *, refresh: bool, offline: bool, settings: Settings
) -> Web | None:
    """Return the settings for the web search, or None if the build does not search.

    Raises SettingsError, before any request is sent, if options contradict each other, if a
    provider is unknown, or if a provider lacks its settings.
    """
    if refresh and offline:
        raise SettingsError(
            "--refresh needs the network, but --offline forbids its use: give only one of the two"
        )
    if not search:
        if refresh or offline:
            raise SettingsError(
                f"--{'refresh' if refresh else 'offline'} applies only to web searches: "
                "choose a search engine with --search"
            )
        return None
    names = tuple(dict.fromkeys(search))
    for name in names:
        check_provider(name, settings.part(WebSettings), offline=offline)
    return Web(names, archive, offline, refresh)


def describe_search(request: BuildRequest) -> dict[str, Any]:
    """Return the flow's parameters for the web search, with absolute paths."""
    web = request.web
    if web is None:
        return {}
    return {
        "search": list(web.providers), "archive": show_path(web.archive.resolve()),
        "refresh": web.refresh, "offline": web.offline,
    }  # fmt: skip


def begin_round(inputs: Inputs, *, new: bool = True) -> Inputs:
    """Return the inputs with this build's round of searches added; ``new`` allows a new round.

    Raises ArchiveError if the build is offline and the archive does not exist.
    """
    web = inputs.web
    if web is None:
        return inputs
    if web.offline and not _holds_anything(web.archive):
        raise ArchiveError(
            f"there is no archive at {show_path(web.archive)}: build once without --offline, or"
            " check --archive"
        )
    held = enter_round(
        web.archive, round_of(Job(inputs, None, "all")), refresh=web.refresh,
        days=inputs.profile.documents.refresh_after_days, new=new and not web.offline,
    )  # fmt: skip
    return replace(inputs, web=replace(web, round=held))


def _holds_anything(archive: Path) -> bool:
    if (remote := remote_of(archive)) is not None:
        return bool(remote.stamps())
    return (archive / "answers").is_dir() or any(archive.glob("*.warc.gz"))
