"""Builds the wheel of one file (PEP 517) with the standard library, so that `pip install` needs neither a network nor setuptools."""

import base64
import hashlib
import re
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
MODULE = "confam.py"
TAG = "py3-none-any"


def _metadata() -> "tuple[str, str]":
    text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    project = dict(re.findall(r'^([\w-]+) = "(.*)"$', text, re.MULTILINE))
    name = f"{project['name']}-{project['version']}"
    fields = {"Name": "name", "Version": "version", "Summary": "description", "Requires-Python": "requires-python"}
    return name, "Metadata-Version: 2.1\n" + "".join(f"{field}: {project[key]}\n" for field, key in fields.items())


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, metadata = _metadata()
    info = f"{name}.dist-info"
    files = {
        MODULE: (HERE / MODULE).read_bytes(),
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: confam\nRoot-Is-Purelib: true\nTag: {TAG}\n".encode(),
    }
    record = "".join(f"{path},sha256={_digest(content)},{len(content)}\n" for path, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{name}-{TAG}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return wheel


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
