// The pictures of the documentation. PICTURES names the folder in which they are written, as `make browser PICTURES=1` does.
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { caller, contexts, openApp, readInvoice, settled, wrongTax } from './web.mjs'
import { signIn, startBrowser, startSandbox } from './world.mjs'

const suppliers = ['Northern Paper Works', 'Blue Harbour Supplies Ltd', 'Alpine Hosting GmbH', 'Riverside Catering']
const iban = 'DE02120300000000202051'

/** A change to the sample invoice: another issue date, and its quantities and amounts multiplied by a factor. */
const another = (i, further = (text) => text) => (text) => further(text)
  .replace(/(<cbc:IssueDate>)[^<]*/, `$1${new Date(Date.UTC(2026, 9, 9 + 2 * i)).toISOString().slice(0, 10)}`)
  .replace(/(<cbc:(?:TaxAmount|TaxableAmount|LineExtensionAmount|TaxExclusiveAmount|TaxInclusiveAmount|PayableAmount|InvoicedQuantity)[^>]*>)([\d.]+)/g,
    (_, tag, value) => tag + (Number(value) * factors[i - 1]).toFixed(tag.includes('Quantity') ? 0 : 2))
const factors = [4, 9, 2, 1, 14, 3, 7, 5, 2, 11, 6, 1]

test('the pictures of the documentation', async (t) => {
  const sandbox = await startSandbox(t)
  const browser = await startBrowser(t)
  const call = caller(sandbox, await signIn(sandbox))
  const forbidden = []
  const wrong = []
  for (let i = 1; i <= 12; i++) {
    const invoice = await readInvoice(call, sandbox.ENTITY_ID, `2026-${String(100 + i)}`, {
      supplier: suppliers[i % suppliers.length], due: i % 5 === 0 ? '2026-11-20' : '2027-01-15', iban: i % 6 === 1 ? iban : undefined, change: another(i, i % 4 === 0 ? wrongTax : undefined),
    })
    if (i % 4 === 0) {
      wrong.push(invoice)
    } else if (i < 4) {
      await call('POST', `/api/invoices/${invoice.id}/approve`, { version: invoice.version, acknowledge_checks: invoice.checks.filter((c) => !c.passed && c.severity === 'BLOCKING').map((c) => c.rule) })
    }
  }
  await readInvoice(call, sandbox.ENTITY_ID, '2026-106', { supplier: suppliers[2], change: (text) => another(6)(text) + '\n' })
  const page = await openApp(await contexts(browser, forbidden)({ viewport: { width: 1280, height: 800 } }), sandbox)
  const pages = { attention: '/', inbox: '/inbox?tab=all', review: `/invoices/${wrong[0].id}`, billing: '/billing' }
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(sandbox.BASE_URL + path)
    await settled(page)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    if (process.env.PICTURES) {
      await mkdir(process.env.PICTURES, { recursive: true })
      await page.screenshot({ path: join(process.env.PICTURES, `web-${name}.png`) })
    }
  }
  assert.deepEqual(forbidden, [])
})
