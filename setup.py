"""What is installed: every package that is found, and `resources/`, which lies beside them."""

from setuptools import find_packages, setup

setup(packages=[*find_packages(include=["parapluie_gui*"]), "parapluie_gui.resources"])
