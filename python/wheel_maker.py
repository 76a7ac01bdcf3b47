# SPDX-License-Identifier: MIT
"""Makes wheels, with nothing but Python.

For pip, a wheel of this folder (PEP 517). From a command line, one that also carries the program and the library:

    wheel_maker.py ROOT FOLDER

ROOT has them as `cmake --install --prefix ROOT` leaves them, linked with -DSLUICE_STATIC_LIBRARIES=ON: what is in the wheel
may need only libraries that every Linux with this glibc has. The same input gives the same bytes: files have the time of
SOURCE_DATE_EPOCH."""
import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
VERSION = re.search(r'^VERSION = "(.*)"', (HERE / "sluice" / "_library.py").read_text(), re.MULTILINE)[1]
NAME = f"sluice-{VERSION}"
METADATA = f"""Metadata-Version: 2.1
Name: sluice
Version: {VERSION}
Summary: A laboratory for GPU caches, from Python
License: MIT
Requires-Python: >=3.9
Provides-Extra: arrays
Requires-Dist: numpy; extra == "arrays"
Provides-Extra: tables
Requires-Dist: pandas; extra == "tables"
"""
# Of glibc and gcc: all that a wheel for any Linux may expect (PEP 600).
EVERYWHERE = re.compile(r"(libc|libm|libdl|libpthread|librt|libgcc_s|ld-linux-x86-64|ld-linux-aarch64)\.so\.\d")
# A wheel has no links: this one starts the program under its other name.
PTXAS = """#!python
import os
import sys

os.execv(os.path.join(os.path.dirname(os.path.abspath(__file__)), "sluice"), ["sluice-ptxas", *sys.argv[1:]])
"""


def _write(folder, tag, files):
    """`files`: name -> contents, or contents and whether it is a program."""
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]
    pure = str(tag == "py3-none-any").lower()
    files = {**files, f"{NAME}.dist-info/METADATA": METADATA,
             f"{NAME}.dist-info/WHEEL": f"Wheel-Version: 1.0\nGenerator: sluice\nRoot-Is-Purelib: {pure}\nTag: {tag}\n"}
    record = []
    with zipfile.ZipFile(Path(folder, f"{NAME}-{tag}.whl"), "w") as wheel:
        def add(name, data, runs=False):
            info = zipfile.ZipInfo(name, date)
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            info.external_attr = (0o100755 if runs else 0o100644) << 16
            wheel.writestr(info, data)

        for name in sorted(files):
            data, runs = files[name] if isinstance(files[name], tuple) else (files[name], False)
            data = data.encode() if isinstance(data, str) else data
            add(name, data, runs)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}\n")
        add(f"{NAME}.dist-info/RECORD", "".join(record) + f"{NAME}.dist-info/RECORD,,\n")
    return f"{NAME}-{tag}.whl"


def _package():
    return {f"sluice/{path.name}": path.read_text() for path in (HERE / "sluice").iterdir() if path.is_file()}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, "py3-none-any", _package())


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the sources are those of Sluice")


def _programs(root):
    """What a wheel puts below the folder of the Python that it is installed for: where it lies -> its path."""
    root = Path(root)
    found = {"bin/sluice": root / "bin" / "sluice"}
    soname = "libsluice.so." + ".".join(VERSION.split(".")[:2])
    library = next(iter([*root.glob(f"lib/{soname}"), *root.glob(f"lib/*/{soname}")]), None)
    if not library:
        sys.exit(f"{root}: there is no {soname}")
    found[f"lib/{soname}"] = library
    for top in ("lib/sluice", "include/sluice", "share/man"):
        for path in (root / top).rglob("*"):
            if path.is_file():
                found[str(path.relative_to(root))] = path
    return found


def _check(found):
    """The newest version of glibc that any of them needs. Ends the program where one needs what may not be there."""
    carried = {path.name for path in found.values()}
    newest, strange = (2, 17), []
    for path in found.values():
        with open(path, "rb") as file:
            if file.read(4) != b"\x7fELF":
                continue
        text = subprocess.run(["readelf", "-dVW", path], check=True, capture_output=True, text=True).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", text)
        strange += [f"{path.name} needs {name}" for name in needed if name not in carried and not EVERYWHERE.fullmatch(name)]
        newest = max([newest, *((int(a), int(b)) for a, b in re.findall(r"\bGLIBC_(\d+)\.(\d+)", text))])
    if strange:
        sys.exit("not in every Linux, nor in the wheel (build with -DSLUICE_STATIC_LIBRARIES=ON): " + "; ".join(sorted(strange)))
    return newest


def main(root, folder):
    found = _programs(root)
    glibc = _check(found)
    files = _package()
    for name, path in found.items():
        files[f"{NAME}.data/data/{name}"] = (path.read_bytes(), os.access(path, os.X_OK))
    files[f"{NAME}.data/scripts/sluice-ptxas"] = (PTXAS, True)
    print(_write(folder, f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{platform.machine()}", files))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: wheel_maker.py ROOT FOLDER")
    main(*sys.argv[1:])
