// The sandbox, and a browser that may only connect to it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { chromium } from 'playwright-core'

/** Starts a sandbox and returns its printed settings. */
export async function startSandbox(t, ...flags) {
  const binary = process.env.SANDBOX ?? fileURLToPath(new URL('../../../bin/sandbox', import.meta.url))
  const child = spawn(binary, ['--port', '0', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGINT')
    await ended
  })
  const values = {}
  for await (const line of createInterface({ input: child.stdout })) {
    const [name, value] = line.split(/=(.*)/s)
    values[name] = value
    if (name === 'ENTITY_ID' || name === 'SETUP_CODE') {
      child.stdout.resume()
      return values // it is the last one
    }
  }
  throw new Error('the sandbox ended before it was ready')
}

/** Signs the sandbox's administrator in and returns the token. */
export async function signIn(sandbox) {
  const response = await fetch(sandbox.BASE_URL + '/api/auth/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: sandbox.LOGIN_EMAIL, password: sandbox.LOGIN_PASSWORD }),
  })
  return (await response.json()).token
}

export async function startBrowser(t) {
  const args = [
    '--no-sandbox', // containers seldom allow the browser's own
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', // offline
  ]
  const browser = await chromium.launch({ executablePath: process.env.BROWSER, args })
  t.after(() => browser.close())
  return browser
}

/** What a page did that it should not have: requests to other hosts, errors, things that its policy forbade. */
export function watch(page, origin) {
  const wrong = []
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin) {
      wrong.push(`asks ${request.url()}`)
    }
  })
  page.on('pageerror', (error) => wrong.push(`fails with ${error}`))
  return wrong
}

/** Keeps a picture of the page where SCREENSHOTS names a folder. */
export async function picture(page, name) {
  if (process.env.SCREENSHOTS) {
    await mkdir(process.env.SCREENSHOTS, { recursive: true })
    await page.screenshot({ path: join(process.env.SCREENSHOTS, name + '.png') })
  }
}
