// What the tests of the web application share.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Opens a page of the application that is signed in, with its keyboard. */
export async function openApp(context, sandbox, path = '/', email = sandbox.LOGIN_EMAIL) {
  const page = await context.newPage()
  await page.goto(`${sandbox.BASE_URL}/sign-in?next=${encodeURIComponent(path)}`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(sandbox.LOGIN_PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname !== '/sign-in')
  return page
}

/** Calls the API as the administrator. */
export function caller(sandbox, token) {
  return async (method, path, body) => {
    const response = await fetch(sandbox.BASE_URL + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body instanceof FormData ? {} : { 'Content-Type': 'application/json' }) },
      body: body === undefined ? undefined : body instanceof FormData ? body : JSON.stringify(body),
    })
    const answer = await response.json()
    assert.ok(response.ok, `${method} ${path}: ${JSON.stringify(answer)}`)
    return answer
  }
}

const sample = new URL('../../../examples/invoice-ubl.xml', import.meta.url)

/** An invoice as a file: the project's own example with another number, supplier and date. */
export async function invoiceFile(number, { supplier = 'Blue Harbour Supplies Ltd', due = '2027-01-15', iban, change = (text) => text } = {}) {
  const text = (await readFile(sample, 'utf8'))
    .replace(/2026-0042/g, number)
    // The bank account of a new supplier would fail the check bank_account_known.
    .replace(/<cac:PaymentMeans>[\s\S]*?<\/cac:PaymentMeans>/, iban ? `<cac:PaymentMeans><cbc:PaymentMeansCode>30</cbc:PaymentMeansCode><cac:PayeeFinancialAccount><cbc:ID>${iban}</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>` : '')
    .replace(/(<cbc:DueDate>)[^<]*/, `$1${due}`)
    .replace(/(<cac:AccountingSupplierParty>[\s\S]*?<cbc:RegistrationName>)[^<]*/, `$1${supplier}`)
  return { name: `${number}.xml`, mimeType: 'application/xml', buffer: Buffer.from(change(text)) }
}

/** A change that makes the tax total wrong. */
export const wrongTax = (text) => text.replace(/(<cac:TaxTotal>\s*<cbc:TaxAmount[^>]*>)50\.92/, '$151.12')

/** Asserts that axe finds nothing that is serious on the page. The announcements that screen readers
 * have read stay for some seconds, and may name an element that has left the page. */
export async function assertAccessible(page, name) {
  await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'))
  const { violations } = await page.evaluate(() => globalThis.axe.run({ exclude: [['[data-live-announcer]']] }, { resultTypes: ['violations'] }))
  const found = violations.filter((v) => v.impact !== 'minor').map((v) => `${v.id} (${v.impact}): ${v.nodes.map((n) => n.html.slice(0, 160)).join(' | ')}`)
  assert.deepEqual(found, [], `${name}: axe`)
}

/** Waits until what a page shows is complete. */
export async function settled(page) {
  await page.waitForLoadState('networkidle').catch(() => undefined)
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' }).catch(() => undefined)
}

/** Opens a browser context with the limits of a busy machine. What the page was forbidden to do is added to forbidden. */
export function contexts(browser, forbidden) {
  return async (options = {}) => {
    const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, locale: 'en-GB', ...options })
    context.setDefaultTimeout(Number(process.env.BROWSER_TIMEOUT_MS ?? 60_000))
    context.on('console', (message) => /Content Security Policy/.test(message.text()) && forbidden.push(message.text()))
    context.on('weberror', (error) => forbidden.push(String(error.error())))
    return context
  }
}

/** Uploads an invoice and returns it as it was read. */
export async function readInvoice(call, entity, number, options) {
  const { name, buffer } = await invoiceFile(number, options)
  const document = await call('POST', '/api/documents/upload', { entity_id: entity, filename: name, content: buffer.toString('base64') })
  return call('POST', '/api/invoices/extract', { document_id: document.id })
}
