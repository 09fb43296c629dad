"""`boolfact` and `python -m boolfact`: a Ctrl-C while all the rest is loaded is one line, too."""

import sys

__all__ = ["main"]


def main() -> None:
    """Load the command line and run it."""
    try:
        from boolfact.cli.app import main as run
    except KeyboardInterrupt:
        print("boolfact: interrupted", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
