#!/usr/bin/env bash
# Collects the licences of what is embedded and is no Go module, from the packages
# that publish them (needs pip, unzip, node and npm):
# - pdfium: the libraries of the PDF engine, as the package pypdfium2 lists them
# - scalar: the dependency tree of the viewer of the documentation
set -euo pipefail
cd "$(dirname "$0")"
scalar=1.46.4
pypdfium2=5.15.2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pip download -q --no-deps -d "$work" "pypdfium2==$pypdfium2"
unzip -qo "$work"/pypdfium2-*.whl -d "$work/wheel"
licences=$work/wheel/pypdfium2-$pypdfium2.dist-info/licenses/BUILD_LICENSES
rm -rf pdfium && mkdir pdfium
for file in "$licences"/*.* "$licences"/{SHARED,all_except_musl,pbin_musl}/*; do
	[[ -f $file ]] && tr -d '\r' <"$file" | sed -e 's/[[:space:]]*$//' >"pdfium/$(basename "$file")"
done

(cd "$work" && npm init -y >/dev/null &&
	npm install --silent --ignore-scripts --no-audit --no-fund --legacy-peer-deps "@scalar/api-reference@$scalar")
rm -rf scalar-* && mkdir "scalar-$scalar"
cp ../../../adapter/httpapi/docs/scalar/LICENSE "scalar-$scalar/LICENSE"
node - "$work/node_modules" >"scalar-$scalar/dependencies.txt" <<'NODE'
const fs = require("fs"), path = require("path");
const texts = new Map();
function walk(dir) {
  for (const entry of fs.readdirSync(dir).sort()) {
    const at = path.join(dir, entry);
    if (entry.startsWith("@")) { walk(at); continue; }
    if (entry.startsWith(".") || !fs.existsSync(at + "/package.json")) continue;
    const about = JSON.parse(fs.readFileSync(at + "/package.json"));
    const files = fs.readdirSync(at).filter((f) => /^(licen[sc]e|copying|notice)/i.test(f)).sort();
    const text = files.map((f) => fs.readFileSync(path.join(at, f), "utf8").replace(/\r/g, "").replace(/[ \t]+$/gm, "").trim()).join("\n\n") ||
      `Its licence is ${about.license ?? "not stated"}; the package has no licence file.`;
    const users = texts.get(text) ?? [];
    const name = `${about.name}@${about.version}`;
    if (!users.includes(name)) users.push(name);
    texts.set(text, users);
    if (fs.existsSync(at + "/node_modules")) walk(at + "/node_modules");
  }
}
walk(process.argv[2]);
for (const [text, users] of texts) console.log(users.join("\n") + "\n\n" + text + "\n\n" + "-".repeat(40));
NODE
