"""Readers of the vendors' published packages.

Each reader returns (operations, types). An operation has the keys query, body
and answer. A type is a name of a scalar ("string", "number", "boolean", "any"),
"#Name" for another type, [type] for a list, {field: type} for an object with
"*" for the fields of a map, or {"|": [type, ...]} for alternatives.
"""

import ast
import json
import re
from pathlib import Path

SCALARS = {
    "str": "string", "String": "string", "string": "string", "datetime": "string", "date": "string",
    "int": "number", "integer": "number", "float": "number", "number": "number", "Decimal": "number",
    "bool": "boolean", "boolean": "boolean", "Boolean": "boolean", "Any": "any", "object": "any", "bytes": "any",
    "Integer": "number", "BigDecimal": "number", "BigInteger": "number", "Date": "string", "long": "number", "Long": "number",
    "Object": "any", "file": "any",
}


def discovery(document, prefix, wanted):
    """Reads a discovery document of Google; wanted is a list of its method ids."""
    spec = json.loads(document.read_text())

    def typed(schema):
        if "$ref" in schema:
            return "#" + schema["$ref"]
        if schema.get("type") == "array":
            return [typed(schema["items"])]
        if schema.get("type") == "object":
            fields = {name: typed(s) for name, s in schema.get("properties", {}).items()}
            if "additionalProperties" in schema:
                fields["*"] = typed(schema["additionalProperties"])
            return fields
        return "string" if schema.get("format") == "int64" else SCALARS.get(schema["type"], "any")

    methods = {}

    def collect(resources):
        for r in resources.values():
            methods.update({m["id"]: m for m in r.get("methods", {}).values()})
            collect(r.get("resources", {}))

    collect(spec["resources"])
    operations = {}
    for name in wanted:
        m = methods[name]
        query = {p: "string" for p in spec["parameters"]}
        query.update({p: "string" for p, s in m.get("parameters", {}).items() if s["location"] == "query"})
        operations[f'{m["httpMethod"]} {prefix}{m["path"].replace("{+", "{")}'] = {
            "query": query,
            "body": "#" + m["request"]["$ref"] if "request" in m else None,
            "answer": "#" + m["response"]["$ref"] if "response" in m else None,
        }
    return operations, {name: typed(s) for name, s in spec["schemas"].items()}


def generated_python(api, models, prefix, wanted, scalars=SCALARS):
    """Reads a Python client of the OpenAPI generator (openapi_types and attribute_map)."""

    def typed(text):
        if text.startswith("list["):
            return [typed(text[5:-1])]
        if text.startswith("dict("):
            return {"*": "any"}
        text = text.removesuffix("[ms-format]")
        return SCALARS.get(text, "#" + text)

    types = {}
    for file in models.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.ClassDef):
                continue
            values = {}
            for item in node.body:
                if isinstance(item, ast.Assign) and isinstance(item.value, ast.Dict):
                    values[item.targets[0].id] = ast.literal_eval(item.value)
            if "openapi_types" in values:
                names = values["attribute_map"]
                types[node.name] = {names[k]: typed(t) for k, t in values["openapi_types"].items()}
            elif any(getattr(b, "id", "") == "Enum" for b in node.bases):
                types[node.name] = "string"
    operations = {}
    for part in re.split(r"\n    def ", api.read_text())[1:]:
        path = re.search(r'get_resource_url\(\s*"([^"]+)"\s*\)', part)
        method = re.search(r'call_api\(\s*url,\s*"([A-Z]+)"', part)
        if not path or not method or f"{method[1]} {path[1]}" not in wanted:
            continue
        answer = re.search(r'response_type="([^"]+)"', part)
        body = re.search(r"body_params = (\w+)\n", part.replace("body_params = None\n", ""))
        kind = re.search(rf":param ([\w\[\]]+) {body[1]}:", part)[1] if body else None
        operations[f"{method[1]} {prefix}{path[1]}"] = {
            "query": {q: "string" for q in re.findall(r'query_params\.append\(\("([^"]+)"', part)},
            "body": typed(kind) if kind else None,
            "answer": typed(answer[1]) if answer else None,
        }
    return operations, types


def speakeasy(package, prefix, wanted):
    """Reads a Python client of Speakeasy (pydantic models)."""
    types, queries, bodies = {}, {}, {}

    def typed(node):
        if isinstance(node, ast.Constant):
            return typed(ast.parse(node.value).body[0].value) if isinstance(node.value, str) else "any"
        if isinstance(node, ast.Name):
            return SCALARS.get(node.id, "#" + node.id)
        if isinstance(node, ast.Attribute):
            return SCALARS.get(node.attr, "#" + node.attr)
        if isinstance(node, ast.Subscript):
            outer = node.value.id
            inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if outer in ("List", "list"):
                return [typed(inner[0])]
            if outer in ("Dict", "dict"):
                return {"*": typed(inner[1])}
            if outer == "Union":
                return {"|": [typed(i) for i in inner]}
            if outer == "Literal":
                return "string"
            return typed(inner[0])  # Optional, Nullable, Annotated and the like
        return "any"

    for file in (package / "models").glob("*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Subscript, ast.Call)):
                value = node.value
                if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "TypeAliasType":
                    value = value.args[1]
                if isinstance(value, ast.Subscript) and isinstance(node.targets[0], ast.Name):
                    types[node.targets[0].id] = typed(value)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                types[node.target.id] = typed(node.value)
            elif isinstance(node, ast.ClassDef):
                bases = {getattr(b, "id", "") for b in node.bases}
                if "Enum" in bases:
                    types[node.name] = "number" if "int" in bases else "string"
                if "BaseModel" not in bases and not any(b.endswith("Error") for b in bases):
                    continue
                fields = {}
                for item in node.body:
                    if not isinstance(item, ast.AnnAssign):
                        continue
                    text = ast.unparse(item)
                    name = re.search(r"alias='([^']+)'", text)
                    name = name[1] if name else item.target.id
                    if "FieldMetadata(query=" in text:
                        queries.setdefault(node.name, {})[name] = typed(item.annotation)
                    elif "FieldMetadata(request=" in text:
                        bodies[node.name] = typed(item.annotation)
                    elif "FieldMetadata(path=" not in text:
                        fields[name] = typed(item.annotation)
                types[node.name] = fields
    operations = {}
    for file in package.glob("*.py"):
        for part in re.split(r"\n    (?:async )?def ", file.read_text())[1:]:
            method, path = re.search(r'method="([A-Z]+)"', part), re.search(r'path="([^"]+)"', part)
            if not method or not path or f"{method[1]} {path[1]}" not in wanted:
                continue
            request = re.search(r"request = models\.(\w+)\(|unmarshal\(request, models\.(\w+)\)", part)
            request = [request[1] or request[2]] * 2 if request else None
            body = bodies.get(request[1]) if request else None
            direct = re.search(r'"json",\s*(?:Optional\[)?\s*(?:models\.)?([\w.\[\]]+?)\]?,?\s*\)', part)
            if not body and direct:
                body = "#" + direct[1].removeprefix("models.")
            answer = re.search(r"unmarshal_json_response\(\s*([^\n]+?),\s*http_res", part)
            operations[f"{method[1]} {prefix}{path[1]}"] = {
                "query": queries.get(request[1], {}) if request else {},
                "body": body,
                "answer": typed(ast.parse(answer[1]).body[0].value) if answer else None,
            }
    return operations, types


def kiota(package, wanted):
    """Reads a Python client of Kiota; wanted is {operation: (file of the request builder, answer, body)}."""
    types, bases = {}, {}
    for file in (package / "models").glob("*.py"):
        text = file.read_text()
        found = re.search(r"^class (\w+)\((\w+)", text, re.M)
        if not found:
            continue
        name, base = found[1], found[2]
        if base in ("str", "Enum"):
            types[name] = "string"
            continue
        fields = {}
        for field, kind, of in re.findall(r'"([^"]+)": lambda n : setattr\(self, \'\w+\', n\.get_(\w+)\((?:([\w.]+))?', text):
            if kind in ("object_value", "enum_value"):
                fields[field] = "#" + of
            elif kind.startswith("collection_of"):
                fields[field] = ["#" + of if "object" in kind or "enum" in kind else SCALARS.get(of, "string")]
            else:
                fields[field] = {"int_value": "number", "float_value": "number", "bool_value": "boolean"}.get(kind, "string")
        types[name], bases[name] = fields, base
    for name in bases:
        base, fields = bases[name], dict(types[name])
        while base in bases:
            fields = {**types[base], **fields}
            base = bases[base]
        types[name] = fields
    operations = {}
    for operation, (file, answer, body) in wanted.items():
        text = (package / file).read_text()
        template = re.search(r'super\(\).__init__\(request_adapter, "\{\+baseurl\}([^"]*)"', text)[1]
        method = operation.split(" ")[0].lower()
        if f"async def {method}(" not in text:
            raise SystemExit(f"{file} has no {method}")
        query = re.search(r"\{\?([^}]*)\}", template)
        operations[operation] = {
            "query": {q.replace("%24", "$"): "string" for q in query[1].split(",")} if query else {},
            "body": body, "answer": answer,
        }
    return operations, types


def jaxb(folder, drop=()):
    """Reads the Java sources that JAXB generates from the XSD."""
    types, bases = {}, {}
    for file in folder.rglob("*.java"):
        text = file.read_text()
        found = re.search(r"^public (?:abstract )?(class|enum) (\w+)(?:\s+extends (\w+))?", text, re.M)
        if not found:
            continue
        if found[1] == "enum":
            types[found[2]] = "string"
            continue
        fields = {}
        pattern = r'((?:^    @Xml[^\n]*(?:\n        [^\n]*)*\n)+)(?:^    @[^\n]*\n)*^    protected (\S+) (\w+);'
        for marks, kind, name in re.findall(pattern, text, re.M):
            named = re.search(r'@Xml(?:Element|Attribute)\((?:[^)]*?)name = "([^"]+)"', marks)
            field = named[1] if named else name
            many = re.match(r"List<(\w+)>", kind)
            base = many[1] if many else kind
            value = "string" if "String.class" in marks else SCALARS.get(base, "#" + base)
            fields[field] = [value] if many else value
        types[found[2]], bases[found[2]] = fields, found[3]
    for name in bases:
        base, fields = bases[name], dict(types[name])
        while base in bases:
            fields = {**types[base], **fields}
            base = bases[base]
        types[name] = fields
    return types


def reach(operations, types, follow):
    """Returns the types that operations reach over types for which follow is true; a reference to another becomes "!Name"."""
    kept = {}

    def rewrite(t):
        if isinstance(t, str):
            if not t.startswith("#"):
                return t
            name = t[1:]
            if types.get(name) in ("string", "number", "boolean", "any"):
                return types[name]
            if name not in types or not follow(name):
                return "!" + name
            if name not in kept:
                kept[name] = None
                kept[name] = rewrite(types[name])
            return t
        if isinstance(t, list):
            return [rewrite(i) for i in t]
        if isinstance(t, dict):
            if set(t) == {"|"}:
                return {"|": sorted((rewrite(i) for i in t["|"]), key=json.dumps)}
            return {k: rewrite(v) for k, v in t.items()}
        return t

    out = {name: {k: rewrite(v) for k, v in o.items()} for name, o in operations.items()}
    return out, kept
