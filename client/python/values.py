"""Writes the open lists of values of a specification as Python enums.

Arguments: the specification and the file to write. Records have these values as
texts, because a later release may add some: the enums name those of this release.
"""

import json
import keyword
import re
import sys
from pathlib import Path

HEAD = '''"""The values of this release in fields that later releases may extend.

Records have these values as texts. Each member is equal to its text:
`document.status == DocumentStatus.EXTRACTED`. Generated from the specification.
"""

from enum import StrEnum
'''


def collect(schemas: dict) -> dict[str, tuple[str, list[str]]]:
    """Returns the lists by the name of their schema, or of their record and field."""
    found: dict[str, tuple[str, list[str]]] = {}
    for name, schema in sorted(schemas.items()):
        if "x-extensible-enum" in schema:
            found[name] = (schema.get("description", ""), schema["x-extensible-enum"])
        for field, inner in sorted(schema.get("properties", {}).items()):
            listed = inner.get("items", inner) if inner.get("type") == "array" else inner
            if "x-extensible-enum" in listed:
                title = name + "".join(part.title() for part in field.split("_"))
                found[title] = (inner.get("description", ""), listed["x-extensible-enum"])
    return found


def member(value: str) -> str:
    """Returns the name of a value: AccountsPayable and invoice.synced become ACCOUNTS_PAYABLE and INVOICE_SYNCED."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", value)
    name = re.sub(r"[^0-9A-Za-z]+", "_", split).strip("_").upper()
    return f"VALUE_{name}" if not name or name[0].isdigit() or keyword.iskeyword(name) else name


def main() -> None:
    schemas = json.loads(Path(sys.argv[1]).read_text())["components"]["schemas"]
    lists = collect(schemas)
    out = [HEAD, f"__all__ = {json.dumps(sorted(lists))}\n"]
    for name, (description, values) in lists.items():
        lines = [f'    """{" ".join(description.split()).replace(chr(92), "") or name}"""\n']
        lines += [f"    {member(value)} = {json.dumps(value)}" for value in values]
        out.append(f"\nclass {name}(StrEnum):\n" + "\n".join(lines) + "\n")
    Path(sys.argv[2]).write_text("\n".join(out))


if __name__ == "__main__":
    main()
