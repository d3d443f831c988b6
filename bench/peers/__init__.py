"""Other bandit libraries, each in an environment of its own.

`catalogue.py` lists them with their versions, `environments.py` installs them, `process.py` talks
to the drivers, and `play_*.py` with `driver.py` run inside the environments.
"""
