"""`python -m boolfact`."""

from boolfact.cli.app import main

if __name__ == "__main__":
    main()
