"""Searches of the web: checks what the user asked for, and prepares the search round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from flows.errors import SettingsError
from flows.pipeline.request import BuildRequest
from flows.pipeline.stages.base import Inputs, Job, Web
from flows.pipeline.stages.fetch import round_of
from flows.settings.environment import Settings
from flows.settings.web import web_settings
from sources.web.archive import ArchiveError
from sources.web.providers.registry import check_provider
from sources.web.rounds import enter_round
from storage.mirror import remote_of
from storage.places import show_path


def make_web(
    search: Sequence[str], archive: Path, *, refresh: bool, offline: bool, settings: Settings
) -> Web | None:
    """Where documents are looked for; None without a search.

    Raises SettingsError for options that contradict each other, and for a provider that is unknown
    or lacks its settings, before anything is asked.
    """
    if refresh and offline:
        raise SettingsError("--refresh needs the network and --offline forbids it: choose one")
    if not search:
        if refresh or offline:
            raise SettingsError(
                f"--{'refresh' if refresh else 'offline'} applies only to web searches: "
                "choose a search engine with --search"
            )
        return None
    names = tuple(dict.fromkeys(search))
    for name in names:
        check_provider(name, web_settings(settings), offline=offline)
    return Web(names, archive, offline, refresh)


def describe_search(request: BuildRequest) -> dict[str, Any]:
    """The flow's parameters that say where documents are looked for, with whole paths."""
    web = request.web
    if web is None:
        return {}
    return {
        "search": list(web.providers), "archive": show_path(web.archive.resolve()),
        "refresh": web.refresh, "offline": web.offline,
    }  # fmt: skip


def begin_round(inputs: Inputs, *, new: bool = True) -> Inputs:
    """The inputs with the round of looking that the build is in; ``new`` where one may begin.

    Raises ArchiveError where nobody may be asked, and nothing was kept.
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
