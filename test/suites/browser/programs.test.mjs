// Webhooks, exports and the report, by which programs and people get what docledger knows.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { test } from 'node:test'

import { checkPages } from './pages.mjs'
import { caller, contexts, openApp, readInvoice } from './web.mjs'
import { picture, signIn, startBrowser, startSandbox } from './world.mjs'

test('webhooks and exports', async (t) => {
  const sandbox = await startSandbox(t, '--auto-approve')
  const browser = await startBrowser(t)
  const call = caller(sandbox, await signIn(sandbox))
  const forbidden = []
  const newContext = contexts(browser, forbidden)
  const page = await openApp(await newContext({ acceptDownloads: true }), sandbox)

  let status = 500
  const received = []
  const receiver = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      received.push(request.headers['webhook-id'])
      response.writeHead(status).end()
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  t.after(() => receiver.close())
  const address = `http://127.0.0.1:${receiver.address().port}/events`

  await t.test('a webhook is created, and its secret is shown once', async () => {
    await page.goto(`${sandbox.BASE_URL}/webhooks`)
    await page.getByText('There is no webhook').waitFor()
    await page.getByRole('button', { name: 'Create a webhook' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Address').fill(address)
    await dialog.getByRole('button', { name: 'invoice.*' }).click()
    await picture(page, 'web-webhook-new')
    await dialog.getByRole('button', { name: 'Add' }).click()
    const secret = await dialog.getByLabel('Secret').inputValue()
    assert.match(secret, /^whsec_/)
    await picture(page, 'web-webhook-secret')
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('link', { name: address }).waitFor()
    assert.ok(!(await page.content()).includes(secret), 'the secret is still on the page')
  })

  await t.test('a failed delivery is shown with its reason, and sent again', async () => {
    await page.getByRole('link', { name: address }).click()
    await page.getByRole('button', { name: 'Send a sample' }).click()
    const row = page.getByRole('table', { name: 'Deliveries' }).getByRole('row', { name: /webhook\.test/ })
    await row.getByText(/status 500/).waitFor()
    await picture(page, 'web-webhook-failed')
    status = 204
    await row.getByRole('button', { name: 'Send again' }).click()
    await row.getByText('Delivered').waitFor()
    assert.equal(new Set(received).size, 1, 'the same event is sent again')
  })

  await t.test('a webhook is switched off, and gets a new secret', async () => {
    await page.locator('.switch', { hasText: 'Send events' }).click()
    await page.getByText('Off', { exact: true }).waitFor()
    assert.equal((await call('GET', '/api/webhooks')).items[0].enabled, false)
    await page.getByRole('button', { name: 'Replace the secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the secret' }).click()
    assert.match(await page.getByRole('dialog').getByLabel('Secret').inputValue(), /^whsec_/)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  })

  await t.test('the list is exported with its filters, in each format', async () => {
    await readInvoice(call, sandbox.ENTITY_ID, 'EXP-1', { supplier: 'Exported Ltd' })
    await readInvoice(call, sandbox.ENTITY_ID, 'EXP-2', { supplier: 'Other Ltd' })
    await page.goto(`${sandbox.BASE_URL}/inbox?tab=all&q=EXP-1&sort=-due_date`)
    await page.getByRole('row', { name: /EXP-1/ }).waitFor()
    const files = {}
    for (const [format, label] of [['csv', /^CSV/], ['jsonl', /JSON Lines/], ['zip', /ZIP/]]) {
      await page.getByRole('button', { name: 'Export' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('radio', { name: label }).check({ force: true })
      await picture(page, `web-export-${format}`)
      const download = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Download' }).click()
      const file = await download
      assert.match(file.suggestedFilename(), new RegExp(`^invoices-.*\\.${format}$`))
      files[format] = await readFile(await file.path())
      await dialog.waitFor({ state: 'detached' })
    }
    for (const text of [files.csv.toString(), files.jsonl.toString()]) {
      assert.ok(text.includes('EXP-1') && !text.includes('EXP-2'), text)
    }
    assert.equal(files.zip.subarray(0, 2).toString(), 'PK')
  })

  await t.test('the overview shows what waits and what was spent, as tables', async () => {
    await page.goto(`${sandbox.BASE_URL}/overview`)
    await page.getByRole('table', { name: 'Age of what waits' }).getByRole('row', { name: /less than a day 2/ }).waitFor()
    await page.getByRole('table', { name: 'Spend by supplier' }).getByRole('row', { name: /637\.84/ }).waitFor()
    await page.getByRole('table', { name: 'Spend by month' }).getByRole('row', { name: /637\.84/ }).waitFor()
    await page.getByText('No invoice is decided yet').waitFor()
  })

  await t.test('the attention page shows an administrator the report on processing', async () => {
    await page.goto(`${sandbox.BASE_URL}/`)
    await page.getByRole('heading', { name: 'Processing' }).waitFor()
    await page.getByText('Touchless').waitFor()
    await page.getByText('From arrival to bill').waitFor()
    await page.getByRole('heading', { name: 'Failures by reason' }).waitFor()
  })

  await t.test('an export that is refused says why, and can be tried again', async () => {
    await page.route('**/api/invoices/export*', (route) => route.fulfill({ status: 503, json: { error: { code: 'unavailable', message: 'Too many exports run. Try again later.', details: { request_id: 'r1' } } } }))
    await page.goto(`${sandbox.BASE_URL}/inbox?tab=all`)
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click()
    await page.getByRole('dialog').getByText('Too many exports run. Try again later.').waitFor()
    await page.unroute('**/api/invoices/export*')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  })

  const webhook = (await call('GET', '/api/webhooks')).items[0]
  await checkPages(t, { newContext, sandbox, pages: { overview: '/overview', webhooks: '/webhooks', webhook: `/webhooks/${webhook.id}` } })

  await t.test('a webhook is deleted', async () => {
    await page.goto(`${sandbox.BASE_URL}/webhooks/${webhook.id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('There is no webhook').waitFor()
    assert.deepEqual((await call('GET', '/api/webhooks')).items, [])
  })

  assert.deepEqual(forbidden, [])
})
