"""Everything that runs on demand, for as long as wanted, with one command.

    python tests/campaigns/soak.py --hours 3

Each campaign gets a share of the time, one after the other, in rounds of ten minutes, each with a
seed of its own. The folder of --out gets a line for each in soak.jsonl, and the output of each
that found something. The same folder goes on where the last run ended. Exit code 1: something was
wrong.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHARES = {
    "differential": 0.5,
    "readers": 0.15,
    "faults": 0.15,
    "signals": 0.15,
    "load": 0.05,
}
ROUND = 10.0
"""Minutes for all campaigns together; then they begin again with another seed."""
FITS_PER_MINUTE = 200


def command(name: str, minutes: float, seed: int) -> list[str]:
    """How a campaign is run for so long."""
    program = [sys.executable, str(HERE / f"{name}.py")]
    if name == "load":
        return [*program, "--fits", str(max(20, int(minutes * FITS_PER_MINUTE)))]
    return [*program, "--minutes", f"{minutes:g}", "--seed", str(seed)]


def rounds_before(log: Path) -> int:
    """How many rounds a log has that were begun."""
    if not log.exists():
        return 0
    return 1 + max((json.loads(line)["seed"] for line in log.read_text().splitlines()), default=-1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--out", type=Path, default=Path("soak"))
    parser.add_argument("--only", nargs="+", default=list(SHARES), choices=list(SHARES))
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    log = asked.out / "soak.jsonl"
    seed = rounds_before(log)
    end = time.monotonic() + 3600 * asked.hours
    shares = {name: SHARES[name] for name in asked.only}
    found = 0
    while time.monotonic() < end:
        minutes = min(ROUND, (end - time.monotonic()) / 60)
        for name, share in shares.items():
            began = time.monotonic()
            done = subprocess.run(
                command(name, minutes * share / sum(shares.values()), seed),
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            wrong = done.returncode != 0
            found += wrong
            if wrong:
                text = done.stdout + done.stderr
                (asked.out / f"{name}-{seed}.txt").write_text(text)
                print(f"{name}, seed {seed}: {text[-500:]}", flush=True)
            line = {
                "campaign": name, "seed": seed, "seconds": round(time.monotonic() - began, 1),
                "wrong": wrong, "told": done.stdout.splitlines()[-12:],
            }  # fmt: skip
            with log.open("a") as stream:
                stream.write(json.dumps(line) + "\n")
        seed += 1
    print(f"{seed} rounds in {log}, {found} campaigns found something")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
