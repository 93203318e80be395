// Generates gen/typescript, the npm package, from the joined specification:
// @hey-api/openapi-ts generates types and calls, emit.mjs generates one class
// over them, and the hand-written sources in package/ are copied.
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { createClient } from '@hey-api/openapi-ts'

import { errorCodes, docledger } from './emit.mjs'
import { closeOpenEnums, openEnums, prepare } from './prepare.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const from = fileURLToPath(new URL('package/', import.meta.url))
const to = join(root, 'gen', 'typescript')

const spec = prepare(JSON.parse(await readFile(join(root, 'openapi', 'docledger.json'), 'utf8')))

// Build results (dist, node_modules) stay unchanged.
for (const entry of ['src', ...(await readdir(from))]) {
  await rm(join(to, entry), { recursive: true, force: true })
}
await cp(from, to, { recursive: true })
const source = join(to, 'src')
for (const name of await readdir(source)) {
  const text = await readFile(join(source, name), 'utf8')
  await writeFile(join(source, name), `// Copied from client/typescript/package/src. DO NOT EDIT here.\n\n${text}`)
}

const count = closeOpenEnums(spec)
await createClient({
  input: spec,
  output: { path: join(source, 'generated'), module: { extension: '.js' } },
  plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  logs: { level: 'silent', file: false },
})
const types = join(source, 'generated', 'types.gen.ts')
await writeFile(types, openEnums(await readFile(types, 'utf8'), count))

await writeFile(join(source, 'docledger.ts'), docledger(spec))
await writeFile(join(source, 'errorCodes.ts'), errorCodes(spec))
await cp(join(root, 'LICENSE'), join(to, 'LICENSE'))
