"""Reader of stripe-go, the vendor's client of exactly the API version that docledger sends."""

import re

SCALARS = {"string": "string", "bool": "boolean", "int64": "number", "int32": "number", "uint32": "number", "float64": "number",
           "int": "number", "interface{}": "any", "time.Time": "number", "json.RawMessage": "any"}


def read(root, wanted):
    """Returns operations and types of the package at root; wanted is a list of "METHOD /path"."""
    structs, plain, expandable = {}, {}, set()
    for file in root.glob("*.go"):
        text = file.read_text()
        structs |= {name: body for name, body in re.findall(r"^type (\w+) struct \{\n(.*?)^\}", text, re.M | re.S)}
        plain |= dict(re.findall(r"^type (\w+) (string|int64|float64|bool)$", text, re.M))
        # An id can take the place of these objects.
        expandable |= {name for name, body in re.findall(r"^func \(\w+ \*(\w+)\) UnmarshalJSON(.*?)^\}", text, re.M | re.S) if "ParseID" in body}

    def typed(kind):
        if kind.startswith("[]"):
            return [typed(kind[2:])]
        if kind.startswith("map["):
            return {"*": typed(kind.split("]", 1)[1])}
        kind = kind.lstrip("*")
        if kind in SCALARS or kind in plain:
            return SCALARS[plain.get(kind, kind)]
        return {"|": ["string", "#" + kind]} if kind in expandable else "#" + kind

    types = {}

    def fields(name, tag):
        of = {}
        for line in structs[name].splitlines():
            found = re.match(rf'\s+(?:\w+\s+)?([\w.*\[\]{{}}]+)\s+`.*?{tag}:"([^",]+)(,string)?', line)
            embedded = re.match(r"\s+(\w+)(?:\s+`form:\"\*\"`)?$", line)
            if embedded and embedded[1] in structs:
                of = {**fields(embedded[1], tag), **of}
            elif found and found[2] == "*" and found[1].lstrip("*") in structs:
                of = {**fields(found[1].lstrip("*"), tag), **of}
            elif found and found[2] not in ("-", "*"):
                kind = "string" if found[3] else typed(found[1])
                of[found[2]] = {"|": [of[found[2]], kind]} if found[2] in of and of[found[2]] != kind else kind
        return of

    for name in structs:
        types[name] = fields(name, "form" if "`form:" in structs[name] and "`json:" not in structs[name] else "json")
        if name.endswith(("List", "SearchResult")):
            types[name]["object"] = "string"  # https://docs.stripe.com/api/pagination; the client does not read it
    operations = {}
    for file in root.glob("**/client.go"):
        for body in re.findall(r"^func \(c Client\) (\w+\(.*?)^\}", file.read_text(), re.M | re.S):
            call = re.search(r'(?:Call|CallRaw)\(\s*http\.Method(\w+),\s*(path|"[^"]+")', body)
            path = re.search(r'(?:FormatURLPath\(\s*|path := |http\.Method\w+,\s*)"([^"]+)"', body)
            if not call or not path:
                continue
            operation = call[1].upper() + " " + re.sub(r"%s", "{id}", path[1])
            if operation not in wanted:
                continue
            params = re.search(r"[pP]arams \*stripe\.(\w+)", body)
            answer = re.search(r":= &stripe\.(\w+)\{", body)
            read = call[1] == "Get"
            sent = types[params[1]] if params else {}
            operations[operation] = {"query": sent if read else {}, "body": None if read else sent, "answer": "#" + answer[1]}
    return operations, types
