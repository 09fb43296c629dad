"""`python -m boolfact`."""

from boolfact.cli import main

if __name__ == "__main__":
    main()
