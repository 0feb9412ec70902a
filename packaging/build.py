#!/usr/bin/env python3
"""Builds the portable application of this system: a folder that brings its own Python, packed into one file.

    python3 packaging/build.py [--python PYTHON]

makes dist/parapluie (macOS: dist/ParaPLUIE Inspector.app) and packs it as dist/parapluie-VERSION-SYSTEM-MACHINE.tar.xz
(Windows: .zip, macOS: .dmg). Without --python, what packaging/light.txt and packaging/build.txt list is installed into
a new environment, build/portable/env; with it, PYTHON is an environment that has them. The program is installed into
it. packaging/smoke.py tries the result.
"""

from __future__ import annotations

import argparse
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
WORK, DIST = ROOT / "build" / "portable", ROOT / "dist"
APP = "ParaPLUIE Inspector.app"

_ICON = """
import sys
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
image = QImage(512, 512, QImage.Format.Format_ARGB32)
image.fill(Qt.GlobalColor.transparent)
painter = QPainter(image)
QSvgRenderer(sys.argv[1]).render(painter)
painter.end()
sys.exit(not image.save(sys.argv[2]))
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", type=Path, help="Python of an environment that has what is needed")
    given = parser.parse_args().python
    python = environment() if given is None else given.absolute()
    WORK.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(ROOT / "build" / "lib", ignore_errors=True)  # files of earlier versions would come along
    run(python, "-m", "pip", "install", "--no-deps", "--no-build-isolation", "--force-reinstall", "--quiet", ROOT)
    run(python, "-c", _ICON, ROOT / "resources" / "icons" / "app.svg", WORK / "icon.png")
    for name in ("parapluie", APP):
        shutil.rmtree(DIST / name, ignore_errors=True)
    folders = ("--distpath", DIST, "--workpath", WORK / "work")
    run(python, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", *folders, HERE / "portable.spec")
    packed = pack()
    made = DIST / (APP if sys.platform == "darwin" else "parapluie")
    files = [path for path in made.rglob("*") if path.is_file() and not path.is_symlink()]
    print(f"{made}: {sum(path.stat().st_size for path in files) / 1e6:.0f} MB in {len(files):,} files")
    print(f"{packed}: {packed.stat().st_size / 1e6:.0f} MB")
    return 0


def environment() -> Path:
    """Make the environment, and return its Python."""
    folder = WORK / "env"
    venv.create(folder, with_pip=True, clear=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run(python, "-m", "pip", "install", "--no-deps", "-r", HERE / "light.txt")
    run(python, "-m", "pip", "install", "-r", HERE / "build.txt")
    return python


def pack() -> Path:
    """Pack the application into the file to distribute, and return its path."""
    text = (ROOT / "parapluie_gui" / "version.py").read_text("utf-8")
    version = re.search(r'__version__ = "(.+)"', text)
    assert version is not None
    machine = platform.machine().lower().replace("amd64", "x86_64")
    base = (
        f"parapluie-{version[1]}-{ {'linux': 'linux', 'win32': 'windows', 'darwin': 'macos'}[sys.platform] }-{machine}"
    )
    folder = DIST / "parapluie"
    if sys.platform == "darwin":
        packed = DIST / f"{base}.dmg"
        packed.unlink(missing_ok=True)
        run("hdiutil", "create", "-volname", "ParaPLUIE Inspector", "-srcfolder", DIST / APP, "-format", "UDZO", packed)
        return packed
    if sys.platform == "win32":
        packed = DIST / f"{base}.zip"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path in sorted(folder.rglob("*")):
                archive.write(path, Path(folder.name, path.relative_to(folder)))
        return packed
    for library in (folder / "_internal").glob("libpython*.so*"):
        # Only this library contains its symbols, 15 of 23 MB; wheels are stripped already, and stripping breaks some.
        if not library.is_symlink():
            run("strip", "--strip-unneeded", library)
    shutil.copy(WORK / "icon.png", folder / "parapluie.png")
    for name in ("parapluie.desktop", "add-to-menu.sh"):
        shutil.copy(HERE / "linux" / name, folder / name)
    (folder / "add-to-menu.sh").chmod(0o755)
    packed = DIST / f"{base}.tar.xz"
    with tarfile.open(packed, "w:xz", preset=2) as archive:
        archive.add(folder, folder.name)
    return packed


def run(*command: str | Path) -> None:
    print("+", *command, flush=True)
    subprocess.run([str(each) for each in command], check=True, cwd=WORK)


if __name__ == "__main__":
    sys.exit(main())
