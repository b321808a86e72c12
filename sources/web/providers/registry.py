"""Every provider by name: check that it is configured, and create it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sources.web.providers.answers import Answers
from sources.web.providers.baidu import BaiduSearch
from sources.web.providers.base import Api, ProviderError
from sources.web.providers.brave import Brave
from sources.web.providers.client import ApiProvider
from sources.web.providers.mediawiki import MediaWiki
from sources.web.providers.searxng import SearXNG
from sources.web.settings import WebSettings


@dataclass(frozen=True)
class ProviderEntry:
    """One provider; ``make`` gives None where a setting is missing, which ``needs`` names."""

    name: str
    needs: str
    make: Callable[[WebSettings], Api | None]
    url: Callable[[WebSettings], str | None]


def _brave(settings: WebSettings) -> Api | None:
    key = settings.brave_key
    return Brave(key.get_secret_value(), settings.brave_url) if key else None


def _baidu(settings: WebSettings) -> Api | None:
    key = settings.baidu_key
    return BaiduSearch(key.get_secret_value(), settings.baidu_url) if key else None


def _searxng(settings: WebSettings) -> Api | None:
    return SearXNG(settings.searxng_url) if settings.searxng_url else None


def _mediawiki(settings: WebSettings) -> Api | None:
    return MediaWiki(settings.mediawiki_site, settings.mediawiki_url)


#: In the order in which a configured one is preferred; the last needs no settings.
APIS: tuple[ProviderEntry, ...] = (
    ProviderEntry("baidu", "TRIPBED_BAIDU_KEY", _baidu, lambda s: s.baidu_url),
    ProviderEntry("brave", "TRIPBED_BRAVE_KEY", _brave, lambda s: s.brave_url),
    ProviderEntry("searxng", "TRIPBED_SEARXNG_URL", _searxng, lambda s: s.searxng_url),
    ProviderEntry(
        "mediawiki", "", _mediawiki, lambda s: s.mediawiki_url or f"https://zh.{s.mediawiki_site}"
    ),
)  # fmt: skip
#: ``corpus`` searches documents that are at hand and has no API.
PROVIDERS: tuple[str, ...] = ("corpus", *(entry.name for entry in APIS))


def check_provider(name: str, settings: WebSettings, *, offline: bool = False) -> None:
    """Whether a provider can be asked.
    Raises ProviderError where it is unknown or not configured.
    """
    if name == "corpus":
        return
    entry = next((entry for entry in APIS if entry.name == name), None)
    if entry is None:
        raise ProviderError(
            "not_configured",
            f"no provider is called {name!r}: choose one of {', '.join(PROVIDERS)}",
        )
    if not offline and entry.make(settings) is None:
        raise ProviderError("not_configured", f"{name} is not configured: set {entry.needs}")


def make_provider(
    name: str,
    settings: WebSettings,
    answers: Answers,
    *,
    since: datetime | None = None,
    offline: bool = False,
) -> ApiProvider:
    """A provider by name. Raises ProviderError where it is unknown or not configured."""
    check_provider(name, settings, offline=offline)
    entry = next(entry for entry in APIS if entry.name == name)
    api = entry.make(settings)
    if api is None:  # answers that were kept can be read without the key
        unset = {"brave_key": "unset", "baidu_key": "unset", "searxng_url": "http://unset.invalid"}
        api = entry.make(settings.model_copy(update={k: _secret(k, v) for k, v in unset.items()}))
        assert api is not None
    asking = settings.asking(entry.url(settings) or "")
    return ApiProvider(api, answers, asking, since=since, offline=offline)


def _secret(name: str, value: str) -> object:
    # Only where a secret is unset.
    from pydantic import SecretStr

    return SecretStr(value) if name.endswith("_key") else value
