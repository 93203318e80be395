import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { sandbox } from './world.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const modules = fileURLToPath(new URL('../node_modules', import.meta.url))
const tsc = join(modules, '.bin', 'tsc')

/** The expected output of each example of README. */
const prints: Record<string, RegExp> = {
  'api.ts': /^$/,
  'me.ts': /^ada@example\.com of Sandbox Organization, request [0-9a-f-]{36}$/m,
  'approve.ts': /^0 of (\d+) bytes\n\1 of \1 bytes\n2026-0042 [0-9.]+ EUR\nAPPROVED$/m,
  'lists.ts': /^2026-0042 [0-9.]+\n(.*\n)*\d+\n\d+ null$/m,
  'events.ts': / document\.received (.*\n)*continue from \S+$/m,
  'webhook.ts': /^$/,
  'errors.ts': /^the record has changed: its version is \d+$/m,
  'quick.ts': /^\S+ \d+$/m,
}

let dir = ''
let files: string[] = []
const app = () => join(dir, 'app')

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'docledger-client-'))
  const source = join(dir, 'package')
  await cp(join(root, 'gen', 'typescript'), source, { recursive: true, filter: (path) => !/\/(node_modules|dist)$/.test(path) })
  await symlink(modules, join(source, 'node_modules'))
  const { stdout } = await run('npm', ['pack', '--json', '--foreground-scripts=false'], { cwd: source })
  const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[]
  files = packed!.files.map((f) => f.path)

  const installed = join(app(), 'node_modules', '@docledger', 'client')
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', join(source, packed!.filename), '-C', installed, '--strip-components=1'])
  await mkdir(join(app(), 'node_modules', '@types'))
  await symlink(join(modules, '@types', 'node'), join(app(), 'node_modules', '@types', 'node'))
  await symlink(join(modules, 'undici-types'), join(app(), 'node_modules', 'undici-types'))
  await symlink(join(root, 'examples'), join(app(), 'examples'))
  await writeFile(join(app(), 'package.json'), '{"type":"module"}')
  const readme = await readFile(join(installed, 'README.md'), 'utf8')
  for (const [, name, text] of readme.matchAll(/```ts\n\/\/ (\S+)\n(.*?)```/gs)) {
    await writeFile(join(app(), name!), text!)
  }
}, 300_000)

afterAll(() => rm(dir, { recursive: true, force: true }))

test('the package contains only the required files', async () => {
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'src/index.ts']))
  expect(files.filter((f) => !/^(dist|src)\/|^(LICENSE|README\.md|package\.json)$/.test(f))).toEqual([])
  const about = JSON.parse(await readFile(join(app(), 'node_modules/@docledger/client/package.json'), 'utf8')) as object
  expect(about).not.toHaveProperty('dependencies')
  expect(about).not.toHaveProperty('peerDependencies')
})

describe('the examples of the README', () => {
  test('are complete', async () => {
    const readme = await readFile(join(root, 'gen', 'typescript', 'README.md'), 'utf8')
    expect([...readme.matchAll(/```ts\n\/\/ (\S+)/g)].map((m) => m[1])).toEqual(Object.keys(prints))
    expect(readme.match(/```ts/g)).toHaveLength(Object.keys(prints).length)
  })

  test('compile without the types of browsers', async () => {
    const options = ['--strict', '--target', 'ES2022', '--module', 'NodeNext', '--lib', 'ES2023', '--types', 'node']
    await run(tsc, [...options, ...Object.keys(prints)], { cwd: app() }).catch((error: { stdout: string }) => {
      throw new Error(error.stdout)
    })
  }, 300_000)

  test.each(Object.entries(prints))('run: %s', async (name, printed) => {
    const { stdout } = await run('node', [name.replace(/ts$/, 'js')], { cwd: app(), env: { ...process.env, ...sandbox } })
    expect(stdout).toMatch(printed)
  })
})

test('the example of docs/webhooks.md verifies a signature', async () => {
  const page = await readFile(join(root, 'docs', 'webhooks.md'), 'utf8')
  const example = page.match(/```ts\n(import \{ verifyWebhook[\s\S]*?)```/)![1]!
  const signed = `
import { createHmac } from 'node:crypto'
const key = Buffer.alloc(32, 7), now = Math.floor(Date.now() / 1000)
process.env.WEBHOOK_SECRET = 'whsec_' + key.toString('base64')
const body = JSON.stringify({ type: 'invoice.approved', subject: { type: 'invoice', id: 'i-1' } })
const signature = 'v1,' + createHmac('sha256', key).update(\`msg_1.\${now}.\${body}\`).digest('base64')
const request = { headers: new Headers({ 'webhook-id': 'msg_1', 'webhook-timestamp': String(now), 'webhook-signature': signature }) }
`
  await writeFile(join(app(), 'page.mjs'), example.replace(/(import .*\n)/, `$1${signed}`))
  const { stdout } = await run('node', ['page.mjs'], { cwd: app() })
  expect(stdout).toBe('invoice.approved i-1\n')
})
