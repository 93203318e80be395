// Measures the pages of the web application on a large database: how long until each page is
// usable, and how long the inbox and the review take to react to a key. bench pages starts it.
import { chromium } from 'playwright-core'

import { openApp, settled } from './web.mjs'

const rounds = 15
const sandbox = process.env // BASE_URL, LOGIN_EMAIL, LOGIN_PASSWORD
const browser = await chromium.launch({ executablePath: process.env.BROWSER, args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'] })
const page = await openApp(await browser.newContext({ viewport: { width: 1360, height: 860 } }), sandbox)
const pages = {
  attention: '/', 'inbox, to check': '/inbox', 'inbox, all': '/inbox?tab=all', 'inbox, search': '/inbox?tab=all&q=1234', documents: '/documents', suppliers: '/suppliers',
  overview: '/overview', integrations: '/integrations', billing: '/billing', entities: '/entities', members: '/members', keys: '/api-keys', webhooks: '/webhooks',
}
const times = {}
const note = (name, took) => (times[name] ??= []).push(took)
const timed = async (name, work) => {
  const began = performance.now()
  await work()
  note(name, performance.now() - began)
}

for (let round = 0; round < rounds; round++) {
  for (const [name, path] of Object.entries(pages)) {
    await timed(name, async () => {
      await page.goto(sandbox.BASE_URL + path, { waitUntil: 'commit' })
      // Looked at in each frame of the page: a locator looks again only after up to half a second.
      await page.waitForFunction(() => document.querySelector('h1') && !document.querySelector('.skeleton'))
    })
    await settled(page)
  }
  await page.goto(`${sandbox.BASE_URL}/inbox?tab=all`)
  await page.locator('[data-row="5"]').waitFor()
  await settled(page)
  // Each measures within the page, from the key until the frame that shows the change.
  const react = (key, selector) => page.evaluate(({ key, selector }) => new Promise((resolve) => {
    const before = document.querySelector(selector)?.outerHTML
    const began = performance.now()
    const look = () => (document.querySelector(selector)?.outerHTML !== before ? resolve(performance.now() - began) : requestAnimationFrame(look))
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    requestAnimationFrame(look)
  }), { key, selector })
  for (let n = 0; n < 5; n++) {
    note('key: next row', await react('j', '[data-cursor]'))
    note('key: select', await react('x', '[data-cursor]'))
  }
  await timed('an invoice opens', async () => {
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Data of the invoice' }).waitFor()
  })
  await settled(page)
  for (let n = 0; n < 3; n++) {
    note('key: next invoice', await react('j', '.summary h1, .summary .tabular'))
    await settled(page)
  }
}
await browser.close()
const at = (list, share) => list.toSorted((a, b) => a - b)[Math.ceil(list.length * share) - 1].toFixed(0)
console.log('| page | median | p95 |\n|---|---|---|')
for (const [name, list] of Object.entries(times)) {
  console.log(`| ${name} | ${at(list, 0.5)} ms | ${at(list, 0.95)} ms |`)
}
