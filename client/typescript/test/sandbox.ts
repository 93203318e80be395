import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import type { TestProject } from 'vitest/node'

/** The values that a sandbox prints: BASE_URL, LOGIN_EMAIL and others. */
export type Values = Record<string, string>

declare module 'vitest' {
  export interface ProvidedContext {
    sandbox: Values
  }
}

/** Starts one sandbox for all tests and stops it after them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [values, stop] = await start()
  project.provide('sandbox', values)
  return stop
}

/** Starts a sandbox with more options. Returns its values and a function that stops it. */
export async function start(...options: string[]): Promise<[Values, () => Promise<void>]> {
  const binary = process.env.SANDBOX ?? fileURLToPath(new URL('../../../bin/sandbox', import.meta.url))
  const child = spawn(binary, ['--port', '0', ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
  const values = await announced(child)
  const stop = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGINT')
    await ended
  }
  return [values, stop]
}

async function announced(child: ChildProcess): Promise<Values> {
  const values: Values = {}
  child.on('error', (error) => {
    throw new Error(`the sandbox can't be started (make build): ${error.message}`)
  })
  for await (const line of createInterface({ input: child.stdout! })) {
    const [name, value] = line.split(/=(.*)/s) as [string, string | undefined]
    if (value !== undefined) {
      values[name] = value
    }
    if (name === 'ENTITY_ID' || name === 'SETUP_CODE') {
      child.stdout!.resume()
      return values // the last value
    }
  }
  throw new Error('the sandbox ended before it was ready')
}
