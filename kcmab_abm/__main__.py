"""`python -m kcmab_abm` is `kcmab`."""

from kcmab_abm.cli.main import main

if __name__ == "__main__":
    main()
