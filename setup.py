"""Installs every package of the program, and `resources/` as a package in it."""

from setuptools import find_packages, setup

setup(packages=[*find_packages(include=["parapluie_gui*"]), "parapluie_gui.resources"])
