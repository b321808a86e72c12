"""Writes ``docs/settings.md``: every key of a profile and every environment variable.

python -m flows.settings.page
"""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path

import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from flows.settings.environment import Settings, unset_words, variable_of
from flows.settings.profile import Profile, load_profile, profile_names

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"

_HEAD = """# Settings

A *profile* is a YAML file whose settings determine what tripbed builds. The settings of a machine,
including all secrets, are environment variables. `tripbed config show` prints all settings of the
profile and of the machine, but hides secrets. If a profile contains an unknown key, tripbed stops
with a message that names the most similar known key.

To make your own profile, copy one of the bundled profiles ({profiles}), edit the copy, and pass it
to tripbed with `--profile`. The manifest of a snapshot contains the profile that the build used.
"""


def page() -> str:
    """Return the page as Markdown."""
    names = ", ".join(f"`{name}`" for name in profile_names())
    parts = [_HEAD.format(profiles=names), "## Profile\n", _table("", Profile)]
    for name, field in Profile.model_fields.items():
        model = field.annotation
        if isinstance(model, type) and issubclass(model, BaseModel):
            parts += [f"### `{name}`\n\n{inspect.getdoc(model) or ''}\n", _table(name, model)]
    rows = "".join(
        f"| `{variable_of(name)}` | {info.description} | {unset_words(name)} |\n"
        for name, info in Settings.model_fields.items()
    )
    parts += ["## Environment\n", f"| variable | what | default |\n|---|---|---|\n{rows}"]
    return "\n".join(parts)


def _table(section: str, model: type[BaseModel]) -> str:
    before = f"{section}." if section else ""
    rows = "".join(
        f"| `{before}{name}` | {field.description or ''} | {_default(field)} |\n"
        for name, field in model.model_fields.items()
        if not (isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel))
    )
    return f"| key | what | default |\n|---|---|---|\n{rows}"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "must be given"
    value = field.get_default(call_default_factory=True)
    if value is None or value in ("", {}):
        return "none"
    if isinstance(value, tuple):
        return ", ".join("none" if part is None else str(part) for part in value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")


def show(profile: str, settings: Settings, as_json: bool) -> None:
    """Print a profile with all its keys, and the environment.

    Raises SettingsError if a key or a variable is wrong.
    """
    keys = load_profile(profile).model_dump(mode="json")
    environment = settings.show()
    if as_json:
        facts = {"profile": keys, "environment": environment}
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
        return
    sys.stdout.write(f"# profile {profile}\n")
    yaml.safe_dump(keys, sys.stdout, allow_unicode=True, sort_keys=False)
    sys.stdout.write("\n# environment\n")
    sys.stdout.writelines(f"{name}: {value}\n" for name, value in environment.items())
