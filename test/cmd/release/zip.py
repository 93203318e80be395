"""Writes a folder into a zip archive. The same contents give the same archive.

Usage: zip.py ARCHIVE FOLDER TIME, with the time in seconds since 1970.
"""
import pathlib
import sys
import time
import zipfile

archive, folder, stamp = sys.argv[1:]
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
    for path in sorted(p for p in pathlib.Path(folder).rglob("*") if p.is_file()):
        info = zipfile.ZipInfo(path.as_posix(), time.gmtime(int(stamp))[:6])
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o755 << 16
        out.writestr(info, path.read_bytes())
