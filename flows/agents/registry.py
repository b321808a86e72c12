"""Defines tools: functions of a session whose typed parameters are the schema."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model

from warehouse.sandbox import Sandbox


@dataclass(frozen=True)
class ToolAnswer:
    """The answer of a tool: ``text`` for a model to read, and ``data`` for ``json.dumps``."""

    text: str
    data: dict[str, Any]


class Environment(Protocol):
    """Answers ChinaTravel's calls; ``memory`` holds what the earlier calls of a client left."""

    def answer(self, text: str, memory: Any) -> Any:
        """Answer a command; the answer's text is what the call prints."""
        ...

    def memory(self) -> Any:
        """Make an empty memory for a new client."""
        ...


@dataclass
class Session:
    """One client of a sandbox.

    ``environment`` returns ChinaTravel's environment, which is made when first needed.
    """

    box: Sandbox
    client: str
    environment: Callable[[], Environment]
    memory: Any = None


@dataclass(frozen=True)
class Tool:
    """A call of the sandbox for agents. ``seconds`` is the time that it may take."""

    name: str
    description: str
    arguments: type[BaseModel]
    run: Callable[..., ToolAnswer]
    example: dict[str, Any]
    seconds: float = 10.0

    @property
    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments, an object."""
        made: dict[str, Any] = _bare(self.arguments.model_json_schema())
        made["examples"] = [self.example]
        return made

    def openai(self) -> dict[str, Any]:
        """Describe the tool for OpenAI-compatible endpoints."""
        function = {"name": self.name, "description": self.description, "parameters": self.schema}
        return {"type": "function", "function": function}


#: Every tool by name, in the order in which they are shown.
TOOLS: dict[str, Tool] = {}


def tool(
    seconds: float = 10.0, **example: Any
) -> Callable[[Callable[..., ToolAnswer]], Callable[..., ToolAnswer]]:
    """Make a tool of a function with typed parameters; ``example`` gives arguments for it."""

    def register(run: Callable[..., ToolAnswer]) -> Callable[..., ToolAnswer]:
        hints = get_type_hints(run, include_extras=True)
        fields: dict[str, Any] = {}
        for name, parameter in list(inspect.signature(run).parameters.items())[1:]:
            default = ... if parameter.default is parameter.empty else parameter.default
            fields[name] = (hints[name], default)
        strict = ConfigDict(extra="forbid", str_max_length=500)
        model = create_model(f"{run.__name__}_arguments", __config__=strict, **fields)
        text = " ".join((run.__doc__ or "").split())
        TOOLS[run.__name__] = Tool(run.__name__, text, model, run, example, seconds)
        return run

    return register


def _bare(schema: Any) -> Any:
    """A schema without the titles that pydantic makes of names."""
    if isinstance(schema, list):
        return [_bare(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    titled = isinstance(schema.get("title"), str)
    return {key: _bare(part) for key, part in schema.items() if not (titled and key == "title")}
