#!/usr/bin/env python3
"""Makes an archive of the Go module, in the form that Go clients fetch.

    archive.py DIRECTORY

DIRECTORY becomes a module proxy: GOPROXY=file://DIRECTORY serves the module from there. The archive
includes the library as two files, chorale.h and chorale.cpp. bundle.sh writes these two files, and
needs the headers of Microsoft GSL (Debian: libmsgsl-dev). The files in the archive are dated
SOURCE_DATE_EPOCH, or 1980 if this environment variable is not set.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    when = max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315_532_800)
    header = (ROOT / "include/chorale/version.h").read_text()
    version = "v" + ".".join(re.findall(r"define CHORALE_VERSION_\w+ (\d+)", header))
    mod = (HERE / "go.mod").read_bytes()
    module = re.search(rb"(?m)^module (\S+)$", mod)[1].decode()
    # A module proxy writes each capital letter as ! and the small letter (A as !a), because some
    # file systems do not distinguish capital and small letters.
    folder = re.sub("[A-Z]", lambda letter: "!" + letter[0].lower(), module)
    to = Path(sys.argv[1]) / folder / "@v"
    to.mkdir(parents=True, exist_ok=True)

    files = {"LICENSE": (ROOT / "LICENSE").read_bytes()}
    for path in HERE.iterdir():
        is_test = path.name.endswith("_test.go") and path.name != "example_test.go"
        if path.suffix in (".go", ".c", ".h", ".mod", ".md") and not is_test:
            files[path.name] = path.read_bytes()
    with tempfile.TemporaryDirectory() as made:
        subprocess.run([HERE / "bundle.sh", made], check=True)
        for name in ("chorale.h", "experimental.h", "chorale.cpp"):
            files[name] = (Path(made) / name).read_bytes()

    date = time.gmtime(when)
    with zipfile.ZipFile(to / f"{version}.zip", "w") as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{module}@{version}/{name}", date[:6])
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, compresslevel=9)
    (to / f"{version}.mod").write_bytes(mod)
    time_said = time.strftime("%Y-%m-%dT%H:%M:%SZ", date)
    (to / f"{version}.info").write_text(json.dumps({"Version": version, "Time": time_said}) + "\n")
    (to / "list").write_text(version + "\n")
    print(f"archive.py: {to / version}.zip, {len(files)} files")


if __name__ == "__main__":
    main()
