// Finishes a build: removes assets of earlier builds, compresses the others and
// fails if they are larger than a page may load.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const kilobyte = 1024
const limits = { first: 200 * kilobyte, all: 400 * kilobyte }

const dist = fileURLToPath(new URL('../../adapter/webapp/dist', import.meta.url))
const manifestPath = join(dist, 'manifest.json')
const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'))
rmSync(manifestPath)

const wanted = new Set(Object.values(manifest).flatMap((chunk) => [chunk.file, ...(chunk.css ?? []), ...(chunk.assets ?? [])]))
const sizes = new Map()
const assets = readdirSync(join(dist, 'assets'))
// The compressed files of the last build go first: a file with the same name is compressed again below.
for (const name of assets.filter((name) => name.endsWith('.gz'))) {
  rmSync(join(dist, 'assets', name))
}
for (const name of assets.filter((name) => !name.endsWith('.gz'))) {
  const file = `assets/${name}`
  if (!wanted.has(file)) {
    rmSync(join(dist, file))
    continue
  }
  const packed = gzipSync(readFileSync(join(dist, file)), { level: 9 })
  // The binary embeds one form: the service decompresses for the few clients that cannot.
  writeFileSync(join(dist, `${file}.gz`), packed)
  rmSync(join(dist, file))
  sizes.set(file, packed.length)
}

/** A chunk and the chunks that it needs at once. */
function loaded(key, seen = new Set()) {
  const chunk = manifest[key]
  if (!seen.has(key)) {
    seen.add(key)
    chunk.imports?.forEach((imported) => loaded(imported, seen))
  }
  return seen
}

const sum = (files) => [...files].reduce((total, file) => total + (sizes.get(file) ?? 0), 0)
const filesOf = (keys) => new Set([...keys].flatMap((key) => [manifest[key].file, ...(manifest[key].css ?? [])]))
const firstPage = ['index.html', 'src/layout/Shell.tsx', 'src/screens/attention/AttentionScreen.tsx']
const first = sum(filesOf(firstPage.reduce((seen, key) => loaded(key, seen), new Set())))
const all = sum(sizes.keys())
const shown = (bytes) => `${(bytes / kilobyte).toFixed(1)} KB`
console.log(`web: first load ${shown(first)} of ${shown(limits.first)}, all ${shown(all)} of ${shown(limits.all)} (gzip)`)
if (first > limits.first || all > limits.all) {
  console.error('web: the application is too large')
  process.exit(1)
}
