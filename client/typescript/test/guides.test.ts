import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { start, type Values } from './sandbox.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const modules = fileURLToPath(new URL('../node_modules', import.meta.url))

/** The pages in the order in which their programs run: the quick start makes the records that later pages read. */
async function guides(): Promise<string[]> {
  const files = (await readdir(join(root, 'docs', 'guides'))).filter((f) => f !== 'README.md' && f !== 'quick-start.md').sort()
  return ['docs/guides/quick-start.md', ...files.map((f) => `docs/guides/${f}`), 'docs/webhooks.md']
}

/** The blocks in TypeScript that show in another language what a block of commands does. */
function blocks(page: string): string[] {
  return [...page.matchAll(/```sh\n(?:(?!```).)*```\n```ts\n(.*?)```/gs)].map((m) => m[1]!)
}

/** The output that the comments after console.log show, as patterns. */
function shown(program: string): RegExp[] {
  return [...program.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text]) => {
    const escaped = text!.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return new RegExp(`^${escaped.join('.+')}$`)
  })
}

let dir = ''
let values: Values = {}
let stop = async () => {}
const programs: { page: string; file: string; source: string; expected: RegExp[] }[] = []
for (const [i, page] of (await guides()).entries()) {
  const all = blocks(await readFile(join(root, page), 'utf8'))
  // Each page continues after the sign-in of the quick start.
  const before = i === 0 ? '' : blocks(await readFile(join(root, 'docs/guides/quick-start.md'), 'utf8'))[0]! + '\n'
  programs.push({ page, file: `page${i}.ts`, source: before + all.join('\n'), expected: shown(all.join('\n')) })
}

beforeAll(async () => {
  ;[values, stop] = await start()
  dir = await mkdtemp(join(tmpdir(), 'docledger-guides-'))
  const client = join(dir, 'node_modules', '@docledger', 'client')
  await mkdir(join(dir, 'node_modules', '@types'), { recursive: true })
  await cp(join(root, 'gen', 'typescript'), client, { recursive: true, filter: (path) => !/\/(node_modules|dist)$/.test(path) })
  await symlink(modules, join(client, 'node_modules'))
  await run(join(modules, '.bin', 'tsc'), ['-p', '.'], { cwd: client })
  await symlink(join(modules, '@types', 'node'), join(dir, 'node_modules', '@types', 'node'))
  await symlink(join(modules, 'undici-types'), join(dir, 'node_modules', 'undici-types'))
  await symlink(join(root, 'examples'), join(dir, 'examples'))
  await writeFile(join(dir, 'package.json'), '{"type":"module"}')
  await Promise.all(programs.map(({ file, source }) => writeFile(join(dir, file), source)))
  const options = ['--strict', '--target', 'ES2022', '--module', 'NodeNext', '--lib', 'ES2023', '--types', 'node']
  await run(join(modules, '.bin', 'tsc'), [...options, ...programs.map(({ file }) => file)], { cwd: dir }).catch((error: { stdout: string }) => {
    throw new Error(error.stdout)
  })
}, 300_000)

afterAll(async () => {
  await stop()
  await rm(dir, { recursive: true, force: true })
})

describe('the guides print what they show', () => {
  test.each(programs)('$page', async ({ file, expected }) => {
    expect(expected.length).toBeGreaterThan(0)
    const { stdout } = await run('node', [file.replace(/ts$/, 'js')], { cwd: dir, env: { ...process.env, ...values } })
    let lines = stdout.split('\n')
    for (const pattern of expected) {
      const at = lines.findIndex((line) => pattern.test(line))
      expect(at, `${pattern} in\n${lines.join('\n')}`).toBeGreaterThanOrEqual(0)
      lines = lines.slice(at + 1)
    }
  })
})
