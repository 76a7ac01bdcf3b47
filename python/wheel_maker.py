# SPDX-License-Identifier: MIT
"""Makes a wheel of this folder for pip, with nothing but Python (PEP 517)."""
import base64
import hashlib
import re
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
WHEEL = "Wheel-Version: 1.0\nGenerator: sluice\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = {f"sluice/{path.name}": path.read_text() for path in sorted((HERE / "sluice").iterdir()) if path.is_file()}
    files.update({f"{NAME}.dist-info/METADATA": METADATA, f"{NAME}.dist-info/WHEEL": WHEEL})
    record = []
    with zipfile.ZipFile(Path(wheel_directory, f"{NAME}-py3-none-any.whl"), "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(text.encode())}\n")
        wheel.writestr(f"{NAME}.dist-info/RECORD", "".join(record) + f"{NAME}.dist-info/RECORD,,\n")
    return f"{NAME}-py3-none-any.whl"


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the sources are those of Sluice")
