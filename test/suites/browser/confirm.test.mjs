// The page on which a person confirms what an assistant asked for.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { assertAccessible, caller, invoiceFile, openApp, settled, wrongTax } from './web.mjs'
import { picture, signIn, startBrowser, startSandbox } from './world.mjs'

/** The id of an invoice as the address of a confirmation has it. */
const inAddress = (id) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')

test('a person confirms what an assistant asked for', async (t) => {
  const sandbox = await startSandbox(t, '--auto-approve')
  const browser = await startBrowser(t)
  const call = caller(sandbox, await signIn(sandbox))
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, locale: 'en-GB' })
  context.setDefaultTimeout(60_000)

  const invoices = {}
  for (const [number, supplier, change] of [['CF-1', 'First Supplies', undefined], ['CF-2', 'Second Supplies', wrongTax], ['CF-3', 'Third Supplies', undefined], ['CF-4', 'Fourth Supplies', undefined]]) {
    const file = await invoiceFile(number, { supplier, change })
    const { id } = await call('POST', '/api/documents/upload', { entity_id: sandbox.ENTITY_ID, filename: file.name, content: file.buffer.toString('base64') })
    invoices[number] = await call('POST', '/api/invoices/extract', { document_id: id })
  }
  const address = (action, numbers, more = '') => `/confirm?action=${action}&items=${numbers.map((n) => inAddress(invoices[n].id)).join('.')}${more}`
  const statuses = async () => Object.fromEntries(await Promise.all(Object.entries(invoices).map(async ([number, { id }]) => [number, (await call('GET', `/api/invoices/${id}`)).status])))
  const before = await statuses()

  const page = await openApp(context, sandbox, address('approve', ['CF-1', 'CF-2', 'CF-3']))
  const item = (supplier) => page.getByRole('listitem').filter({ has: page.getByRole('checkbox', { name: new RegExp(supplier) }) })

  await t.test('the page shows every item and changes nothing yet', async () => {
    await page.getByRole('heading', { level: 1, name: 'Approve 3 invoices?' }).waitFor()
    for (const [number, supplier] of [['CF-1', 'First Supplies'], ['CF-2', 'Second Supplies'], ['CF-3', 'Third Supplies']]) {
      await item(supplier).getByText(number, { exact: true }).waitFor()
      await item(supplier).getByText('Bank account').waitFor()
    }
    await settled(page)
    await assertAccessible(page, 'confirm')
    await picture(page, 'web-confirm')
    assert.deepEqual(await statuses(), before)
  })

  await t.test('an item with failed checks is confirmed only after a comparison, and items can be left out', async () => {
    await page.getByRole('button', { name: 'Approve 2 invoices' }).waitFor()
    await item('Second Supplies').getByRole('checkbox', { name: /compared/ }).check()
    await item('Third Supplies').getByRole('checkbox', { name: /Third Supplies/ }).uncheck()
    await page.getByRole('button', { name: 'Approve 2 invoices' }).click()
    await page.getByText('2 invoices were changed').waitFor()
    assert.deepEqual(await statuses(), { ...before, 'CF-1': 'APPROVED', 'CF-2': 'APPROVED' })
  })

  await t.test('another try sends only what is left', async () => {
    await item('Third Supplies').getByRole('checkbox', { name: /Third Supplies/ }).check()
    await page.getByRole('button', { name: 'Approve 1 invoice', exact: true }).click()
    await page.getByText('3 invoices were changed').waitFor()
    assert.equal(await page.getByRole('button', { name: /^Approve/ }).isDisabled(), true)
    assert.deepEqual(await statuses(), { ...before, 'CF-1': 'APPROVED', 'CF-2': 'APPROVED', 'CF-3': 'APPROVED' })
  })

  await t.test('a rejection shows the reason of the assistant, which the person can change', async () => {
    await page.goto(sandbox.BASE_URL + address('reject', ['CF-4'], '&reason=Not+ours'))
    const reason = page.getByLabel('Reason for the rejection')
    assert.equal(await reason.inputValue(), 'Not ours')
    await reason.fill('Not ordered')
    await page.getByRole('button', { name: 'Reject 1 invoice' }).click()
    await page.getByText('1 invoice was changed').waitFor()
    assert.equal((await call('GET', `/api/invoices/${invoices['CF-4'].id}`)).rejection.reason, 'Not ordered')
  })

  await t.test('an incomplete address does nothing', async () => {
    for (const wrong of ['/confirm', '/confirm?action=delete&items=x', '/confirm?action=approve&items=short']) {
      await page.goto(sandbox.BASE_URL + wrong)
      await page.getByText('The address of this page is incomplete').waitFor()
    }
  })
})
