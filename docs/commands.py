"""The page of every command, written from the definitions that the command line itself uses.

What a command accepts stands in its function: names, defaults and help texts. The pages are made
of these while the site is built, so they cannot say something else than `boolfact COMMAND --help`.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.text import Text
from typer.models import ArgumentInfo, OptionInfo, ParameterInfo

from boolfact.cli.app import app

__all__ = ["Parameter", "command_names", "command_page", "overview", "parameters"]

_VALUES = {int: "INTEGER", float: "NUMBER", str: "TEXT", Path: "PATH"}


@dataclass(frozen=True)
class Parameter:
    """One argument or option of a command."""

    is_option: bool
    names: tuple[str, ...]
    value: str
    default: str
    help: str
    panel: str


def command_names() -> list[str]:
    """The commands, in the order of the help page."""
    return list(_commands())


def parameters(name: str) -> list[Parameter]:
    """Arguments and options of a command, without hidden ones."""
    function = _commands()[name].callback
    hints = typing.get_type_hints(function, include_extras=True)
    found = []
    for parameter in inspect.signature(function).parameters.values():
        kind, *notes = typing.get_args(hints[parameter.name]) or (hints[parameter.name],)
        info = next((note for note in notes if isinstance(note, ParameterInfo)), None)
        if info is not None and not info.hidden:
            found.append(_parameter(parameter, kind, info))
    return found


def command_page(name: str) -> str:
    """The page of one command."""
    command = _commands()[name]
    given = parameters(name)
    arguments = [parameter for parameter in given if not parameter.is_option]
    options = [parameter for parameter in given if parameter.is_option]
    words = ["boolfact", name, *(p.value for p in arguments)]
    words += [f"{p.names[0]} {p.value}" for p in options if p.default == "required"]
    parts = [
        f"# boolfact {name}",
        inspect.getdoc(command.callback) or "",
        f"```console\n{' '.join([*words, '[OPTIONS]'] if options else words)}\n```",
    ]
    if arguments:
        parts += ["## Arguments", _table(arguments, "argument")]
    panels = dict.fromkeys(parameter.panel for parameter in options)
    for panel in panels:
        rows = [parameter for parameter in options if parameter.panel == panel]
        parts += [f"## {panel or 'Options'}", _table(rows, "option")]
    if examples := _examples(command.epilog or ""):
        parts += ["## Examples", "```console\n" + "\n".join(examples) + "\n```"]
    parts.append("[All commands](../cli.md), and [what the words mean](../glossary.md).")
    return "\n\n".join(parts) + "\n"


def overview() -> str:
    """A table of all commands with links to their pages, to stand on the page about all."""
    lines = ["| command | what it does | options |", "|---|---|---|"]
    for name, command in _commands().items():
        first = (inspect.getdoc(command.callback) or "").split("\n")[0]
        count = sum(parameter.is_option for parameter in parameters(name))
        lines.append(f"| [`boolfact {name}`](cli/{name}.md) | {_cell(first)} | {count} |")
    return "\n".join(lines)


def _commands() -> dict[str, Any]:
    return {_name(command): command for command in app.registered_commands}


def _name(command: Any) -> str:
    callback: Callable[..., Any] = command.callback
    return command.name or callback.__name__.replace("_", "-")


def _parameter(parameter: inspect.Parameter, kind: Any, info: ParameterInfo) -> Parameter:
    kind, several = _plain_type(kind)
    is_flag = kind is bool and isinstance(info, OptionInfo)
    names = _declared(info) or _default_names(parameter.name, is_flag)
    value = info.metavar or _VALUES.get(kind, "TEXT")
    if isinstance(info, ArgumentInfo):
        names, value = (), info.metavar or parameter.name.upper()
    return Parameter(
        is_option=isinstance(info, OptionInfo),
        names=names,
        value="" if is_flag else value + (" ..." if several else ""),
        default=_default(parameter.default, is_flag),
        help=Text.from_markup(info.help or "").plain,
        panel=info.rich_help_panel if isinstance(info.rich_help_panel, str) else "",
    )


def _declared(info: ParameterInfo) -> tuple[str, ...]:
    """The names that stand in the definition; in an annotation the first is kept as default."""
    first = (info.default,) if isinstance(info.default, str) else ()
    return (*first, *(info.param_decls or ()))


def _plain_type(kind: Any) -> tuple[Any, bool]:
    """The type without None, and whether it may be given several times."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        kind = next(part for part in typing.get_args(kind) if part is not types.NoneType)
    if typing.get_origin(kind) in (list, tuple):
        return typing.get_args(kind)[0], True
    return kind, False


def _default_names(name: str, is_flag: bool) -> tuple[str, ...]:
    dashed = name.replace("_", "-")
    return (f"--{dashed}/--no-{dashed}" if is_flag else f"--{dashed}",)


def _default(default: Any, is_flag: bool) -> str:
    if default is inspect.Parameter.empty:
        return "required"
    if default is None or default in ((), []):
        return ""
    if is_flag:
        return "on" if default else "off"
    return f"{default:g}" if isinstance(default, float) else str(default)


def _table(rows: list[Parameter], what: str) -> str:
    lines = [f"| {what} | default | meaning |", "|---|---|---|"]
    for row in rows:
        shown = ", ".join(f"`{name}`" for name in row.names)
        if row.value:
            shown = f"{shown} `{row.value}`".strip()
        default = f"`{row.default}`" if row.default not in ("", "required", "on", "off") else ""
        lines.append(f"| {shown} | {default or row.default} | {_cell(row.help)} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _examples(epilog: str) -> list[str]:
    """The lines of the help page that begin with a dollar sign."""
    lines = (Text.from_markup(line).plain for line in epilog.split("\n\n"))
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
