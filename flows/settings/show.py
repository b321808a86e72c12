"""What ``tripbed config show`` prints: the settings in force, secrets hidden."""

from __future__ import annotations

import json
import sys

import yaml

from flows.settings.environment import Settings
from flows.settings.profile import load_profile


def show(profile: str, settings: Settings, as_json: bool) -> None:
    """Print a profile with all its keys, and the environment. Raises SettingsError."""
    keys = load_profile(profile).model_dump(mode="json")
    environment = settings.show()
    if as_json:
        facts = {"profile": keys, "environment": environment}
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
        return
    sys.stdout.write(f"# profile {profile}\n")
    yaml.safe_dump(keys, sys.stdout, allow_unicode=True, sort_keys=False)
    sys.stdout.write("\n# environment\n")
    for name, value in environment.items():
        sys.stdout.write(f"{name}: {value}\n")
