"""How data are read: the options that several commands share, and what they do."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from boolfact.io.binarize import Binarized
    from boolfact.model.matrix import BinaryMatrix
    from boolfact.model.packed import PackedMatrix
    from boolfact.model.sparse import SparseMatrix
    from boolfact.results.result import Result

__all__ = [
    "AGAIN",
    "ALL",
    "TABLES",
    "Reading",
    "asking_for_source",
    "hints",
    "load_with_data",
    "with_reading",
]

_TABLE, _FILE = "Tables of categories and numbers", "How the file is written"

# What each option is; the groups below say which command has which.
_OPTIONS: dict[str, Any] = {
    "binarize": Annotated[
        float | None, typer.Option(help="Take values above this as 1, the others as 0.")
    ],
    "one_hot": Annotated[
        bool,
        typer.Option(
            "--one-hot",
            rich_help_panel=_TABLE,
            help="Make 0/1 columns of categories (name=value), and of numbers and dates (split at "
            "the median); of a csv, tsv, txt or parquet file.",
        ),
    ],
    "drop": Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            rich_help_panel=_TABLE,
            help="Leave this column out (also with --pairs). May be given several times.",
        ),
    ],
    "index": Annotated[
        str | None,
        typer.Option(metavar="COLUMN", rich_help_panel=_TABLE, help="This column names the rows."),
    ],
    "categorical": Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            rich_help_panel=_TABLE,
            help="Take its numbers as categories. May be given several times.",
        ),
    ],
    "threshold": Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUE",
            rich_help_panel=_TABLE,
            help="Split this column of numbers or dates here. May be given several times.",
        ),
    ],
    "both": Annotated[
        bool,
        typer.Option(
            "--both",
            rich_help_panel=_TABLE,
            help="Give yes/no columns two columns, so that a no can be in a pattern too.",
        ),
    ],
    "missing": Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            rich_help_panel=_TABLE,
            help="A cell with this text is missing. May be given several times.",
        ),
    ],
    "pairs": Annotated[
        bool,
        typer.Option(
            "--pairs",
            rich_help_panel=_FILE,
            help="Each line is a row and a column, such as user and permission, or the two ends "
            "of an edge, and maybe the entry; or, with --baskets, a list. Seen where it is clear.",
        ),
    ],
    "baskets": Annotated[
        bool,
        typer.Option(
            "--baskets",
            rich_help_panel=_FILE,
            help="Each line is a list of items; a name may stand before it, with a colon.",
        ),
    ],
    "header": Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            rich_help_panel=_FILE,
            help="Whether line 1 holds column names (detected by default).",
        ),
    ],
    "row_names": Annotated[
        bool | None,
        typer.Option(
            "--row-names/--no-row-names",
            rich_help_panel=_FILE,
            help="Whether column 1 holds names (detected by default).",
        ),
    ],
    "delimiter": Annotated[
        str | None,
        typer.Option(
            metavar="MARK",
            rich_help_panel=_FILE,
            help="Between cells: a character, tab or space (detected by default).",
        ),
    ],
    "decimal": Annotated[
        str | None,
        typer.Option(
            metavar="MARK",
            rich_help_panel=_FILE,
            help="Before decimals: a point or a comma (with --one-hot detected by default).",
        ),
    ],
    "encoding": Annotated[
        str | None,
        typer.Option(
            rich_help_panel=_FILE,
            help="Of letters, such as cp1252 (UTF-8 by default, UTF-16 where marked).",
        ),
    ],
    "layer": Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            rich_help_panel=_FILE,
            help="Of an h5ad file: read this layer, not X.",
        ),
    ],
    "raw": Annotated[
        bool,
        typer.Option("--raw", rich_help_panel=_FILE, help="Of an h5ad file: read raw, not X."),
    ],
}
ALL = tuple(_OPTIONS)
TABLES = tuple(name for name in ALL if name not in ("layer", "raw"))
AGAIN = ("binarize", "header", "row_names")
"""For commands that read the data of a saved result, which knows the rest."""

_OF_TABLES = ("index", "categorical", "threshold", "both", "missing")


@dataclass(frozen=True)
class Reading:
    """What was said about reading the data; None where nothing was.

    Kept with a result as it is, so that its data can be read again in the same way.
    """

    binarize: float | None = None
    one_hot: bool | None = None
    drop: tuple[str, ...] | None = None
    index: str | None = None
    categorical: tuple[str, ...] | None = None
    threshold: tuple[str, ...] | None = None
    both: bool | None = None
    missing: tuple[str, ...] | None = None
    pairs: bool | None = None
    baskets: bool | None = None
    header: bool | None = None
    row_names: bool | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    layer: str | None = None
    raw: bool | None = None

    @classmethod
    def said(cls, **given: Any) -> Reading:
        """From what the command line has: a flag that was not given says nothing."""
        flags = ("header", "row_names")
        read: dict[str, Any] = {}
        for name, value in given.items():
            if isinstance(value, list):
                value = tuple(value)
            is_said = value is not None and value != () and (value is not False or name in flags)
            read[name] = value if is_said else None
        return cls(**read)

    def as_dict(self) -> dict[str, Any]:
        """To be kept with a result."""
        values = {part.name: getattr(self, part.name) for part in fields(self)}
        return {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}

    def or_of(self, result: Result) -> Reading:
        """The same, and what was said when a result was made."""
        said: dict[str, Any] = {}
        for name, value in self.as_dict().items():
            kept = result.settings.get(name) if value is None else value
            said[name] = tuple(kept) if isinstance(kept, list) else kept
        return Reading(**said)

    @property
    def is_plain(self) -> bool:
        """Whether large data can be read in blocks so."""
        rest = (self.header, self.row_names, self.one_hot, self.delimiter, self.decimal)
        return self.is_pairs or (self.encoding is None and all(part is None for part in rest))

    @property
    def is_pairs(self) -> bool:
        """Whether pairs or lists were asked for."""
        return bool(self.pairs or self.baskets)

    def as_table(self) -> Reading:
        """The same for a table of categories, which need not be said."""
        return replace(self, one_hot=True)

    def as_words(self) -> list[str]:
        """The options as they are typed, for a command that reads the same again."""
        words: list[str] = []
        for name, value in self.as_dict().items():
            option = name.replace("_", "-")
            if value is None:
                continue
            if isinstance(value, bool):
                words.append(f"--{option}" if value else f"--no-{option}")
                continue
            for part in value if isinstance(value, list) else [value]:
                words += [f"--{option}", str(part)]
        return words

    def check(self) -> None:
        """Refuse options that do not fit together."""
        if self.one_hot:
            if self.layer is not None or self.raw:
                raise ValueError("--layer and --raw are for h5ad files; do not give --one-hot too")
            if self.binarize is not None:
                raise ValueError(
                    "--one-hot splits numbers at their medians, or where --threshold COLUMN=VALUE "
                    "says; do not give --binarize too"
                )
            if self.is_pairs:
                raise ValueError("--pairs and --one-hot are two ways to read a file; give one")
            return
        for name in _OF_TABLES:
            if getattr(self, name) is not None:
                raise ValueError(f"--{name} belongs to --one-hot, which was not given")
        if self.drop is not None and not self.is_pairs:
            raise ValueError("--drop belongs to --one-hot or --pairs; neither was given")

    def meant(self, source: Any, quiet: bool = True) -> Any:
        """The pairs or the matrix of an h5ad file that is meant; other sources as they are."""
        from boolfact.io.annotated import select_matrix
        from boolfact.io.meant import meant_matrix
        from boolfact.io.pairs import PairMatrix
        from boolfact.io.text import TextStyle

        self.check()
        if self.is_pairs:
            style = TextStyle(self.delimiter, self.decimal, self.encoding)
            baskets = self.baskets
            found: Any = PairMatrix(
                Path(source), baskets, self.header, self.binarize, self.drop or (), style
            )
        elif self.is_plain:
            found = meant_matrix(source, self.layer, bool(self.raw), self.binarize)
        else:
            found = select_matrix(source, self.layer, bool(self.raw))
        if isinstance(found, PairMatrix) and not quiet:
            from boolfact.show import terminal

            terminal.tell(found.told())
        return found

    def read(self, source: str, quiet: bool = True) -> BinaryMatrix:
        """The data; unless quiet, what was made of the columns of a table is told."""
        from boolfact.show import terminal

        if not self.one_hot:
            return self.matrix(self.meant(source, quiet))
        made = self.table(source)
        if not quiet:
            terminal.print_columns(made.columns, to_errors=True)
            from boolfact.io.binarize import COMMAND

            for text in made.warnings(COMMAND):
                terminal.tell(f"warning: {text}")
        return made.matrix

    def table(self, source: str) -> Binarized:
        """A table as zeros and ones, and what became of its columns."""
        from boolfact.io.binarize import COMMAND, binarize_table
        from boolfact.io.table import read_table
        from boolfact.io.text import TextStyle

        self.check()
        if not Path(source).is_file():
            raise FileNotFoundError(
                f"--one-hot reads a csv, tsv, txt or parquet file; no file {source!r}"
            )
        style = TextStyle(self.delimiter, self.decimal, self.encoding)
        with hints():
            table = read_table(
                source,
                header=self.header,
                # A column that is chosen leaves the first one as it is.
                row_names=False if self.index is not None else self.row_names,
                style=style,
                missing=self.missing or (),
            )
        return binarize_table(
            table,
            categorical=self.categorical or (),
            thresholds=dict(map(_threshold, self.threshold or ())),
            both=bool(self.both),
            drop=self.drop or (),
            index=self.index,
            words=COMMAND,
        )

    def matrix(self, meant: Any) -> BinaryMatrix:
        """The matrix of what `meant` gave."""
        from boolfact.io.pairs import PairMatrix
        from boolfact.io.read import as_matrix

        with hints():
            if isinstance(meant, PairMatrix):
                return meant.dense(self.binarize)
            return as_matrix(
                meant,
                binarize=self.binarize,
                header=self.header,
                row_names=self.row_names,
                delimiter=self.delimiter,
                decimal=self.decimal,
                encoding=self.encoding,
            )

    def read_again(self, name: str, result: Result) -> BinaryMatrix:
        """The data as the run read and priced it, unless something else is said now."""
        from boolfact.model.costs import with_costs

        return with_costs(self.or_of(result).read(name), **_prices_of(result))

    def read_rows_again(self, name: str, result: Result) -> PackedMatrix | SparseMatrix | None:
        """The same in bits, or by their ones, where the run kept them so; None elsewhere."""
        from boolfact.io.rows import as_rows
        from boolfact.model.costs import with_row_costs

        whole = self.or_of(result)
        if not result.digest.startswith("rows:") or not whole.is_plain:
            return None
        rows = as_rows(whole.meant(name), binarize=whole.binarize)
        return None if rows is None else with_row_costs(rows, **_prices_of(result))


def with_reading(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command these options in the place of its parameter `reading`.

    Each option stands in one place so, whatever commands have it.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(command, include_extras=True)

        @functools.wraps(command)
        def run(**given: Any) -> None:
            said = {name: given.pop(name) for name in names}
            command(**given, reading=Reading.said(**said))

        parameters = []
        for parameter in inspect.signature(command).parameters.values():
            if parameter.name == "reading":
                parameters += [_parameter(name) for name in names]
            else:
                parameters.append(parameter.replace(annotation=hints[parameter.name]))
        # A parameter without a default may not follow one with it; all are given by name.
        named = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
        vars(run)["__signature__"] = inspect.Signature(named)
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        return run

    return decorate


def _parameter(name: str) -> inspect.Parameter:
    default = False if _OPTIONS[name].__args__[0] is bool else None
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=_OPTIONS[name]
    )


@contextmanager
def hints() -> Iterator[None]:
    """Adds to an error about a file the options that help."""
    from boolfact.io.cells import NeedsThresholdError, NoMatrixError, NotUnderstoodError
    from boolfact.io.text import EncodingError

    try:
        yield
    except NeedsThresholdError as error:
        raise ValueError(
            f"{error.plain}; --binarize 0 makes a one of what was detected, and --raw and --layer "
            "choose another matrix"
        ) from error
    except NoMatrixError as error:
        raise ValueError(
            f"{error.plain}; --pairs reads pairs such as users and permissions or the ends of "
            "edges, --baskets lists of items, of files with any ending"
        ) from error
    except NotUnderstoodError as error:
        raise ValueError(
            f"{error.plain}; --one-hot makes 0/1 columns of categories and numbers, "
            "--binarize 0 ones of positive numbers, --pairs reads pairs"
        ) from error
    except EncodingError as error:
        raise ValueError(
            f"{error.plain}; --encoding cp1252 reads what Excel on Windows saves"
        ) from error


def _threshold(text: str) -> tuple[str, str]:
    column, equals, value = text.rpartition("=")
    if not equals or not column or not value:
        raise ValueError(f"--threshold {text}: expected COLUMN=VALUE, such as age=40")
    return column, value


def _prices_of(result: Result) -> dict[str, Any]:
    names = ("false_one_cost", "missed_one_cost", "from_below")
    return {name: result.settings[name] for name in names if name in result.settings}


@contextmanager
def asking_for_source(folder: Path, name: str, source: str | None) -> Iterator[None]:
    """Says how to find data that are not where they were when a result was saved."""
    try:
        yield
    except FileNotFoundError as error:
        if source is not None:
            raise
        raise FileNotFoundError(
            f"the data that {folder} was computed from, {name!r}, are not found from here; say "
            "with --source where they are"
        ) from error


def load_with_data(
    folder: Path, source: str | None, reading: Reading
) -> tuple[Result, BinaryMatrix]:
    """A saved result and the data it is for, which must be the same as then."""
    from boolfact.model.packed import has_digest
    from boolfact.results.result import Result

    result = Result.load(folder)
    name = source or result.dataset
    if name is None:
        raise ValueError(f"{folder} does not say which data it is for; give it with --source")
    with asking_for_source(folder, name, source):
        matrix = reading.read_again(name, result)
    if not has_digest(matrix, result.digest):
        raise ValueError(
            f"{name} is not the data that {folder} was computed from (its digest differs); "
            "give that data with --source"
        )
    return result, matrix
