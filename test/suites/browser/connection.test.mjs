// A service that cannot be reached, in the ways in which networks and proxies show it, and where the focus goes in long lists.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { caller, contexts, invoiceFile, openApp, readInvoice, settled } from './web.mjs'
import { signIn, startBrowser, startSandbox } from './world.mjs'

test('connections that are lost, and long lists', async (t) => {
  const sandbox = await startSandbox(t, '--auto-approve')
  const browser = await startBrowser(t)
  const call = caller(sandbox, await signIn(sandbox))
  const context = await contexts(browser, [])()
  const made = async (number) => (await readInvoice(call, sandbox.ENTITY_ID, number)).id
  const get = (id) => call('GET', `/api/invoices/${id}`)
  const page = await openApp(context, sandbox)
  const lost = page.getByText('docledger cannot be reached', { exact: true })
  const review = async (id) => {
    await page.goto(`${sandbox.BASE_URL}/invoices/${id}?tab=all&entity=${sandbox.ENTITY_ID}`)
    await page.getByRole('button', { name: /^Approve/ }).waitFor()
    await settled(page)
  }

  await t.test('a network that swallows packets is noticed, and the approval is made afterwards', async () => {
    const id = await made('NET-1')
    await review(id)
    await page.route('**/favicon.svg', () => undefined)
    await page.route('**/api/**', (route) => route.abort())
    await page.keyboard.press('Control+Enter')
    await lost.waitFor()
    await page.locator('.decisions').getByText('Waits for the connection').waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.getByText('Approved NET-1').waitFor()
    assert.notEqual((await get(id)).status, 'EXTRACTED')
  })

  await t.test('a proxy that answers for a service that is down is noticed', async () => {
    const id = await made('NET-2')
    await review(id)
    await page.route('**/*', (route) => route.fulfill({ status: 502, contentType: 'text/html', body: 'bad gateway' }))
    await page.keyboard.press('Control+Enter')
    await lost.waitFor()
    assert.equal(await page.locator('[role=status] [role=status]').count(), 0, 'no live region is within another one')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.getByText('Approved NET-2').waitFor()
    await lost.waitFor({ state: 'detached' })
  })

  await t.test('pages that are opened without a connection are no actions that wait', async () => {
    await page.goto(`${sandbox.BASE_URL}/?entity=${sandbox.ENTITY_ID}`)
    await settled(page)
    await page.route('**/*', (route) => route.abort())
    for (const name of ['Suppliers', 'Overview']) {
      await page.getByRole('link', { name }).first().click()
      await lost.waitFor()
      await page.getByText('You can continue on this page.', { exact: false }).waitFor()
    }
    assert.equal(await page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true }))), true, 'the browser asks before the page is closed')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await lost.waitFor({ state: 'detached' })
  })

  await t.test('an upload waits for the connection, and is made once', async () => {
    await page.goto(`${sandbox.BASE_URL}/inbox?tab=all&entity=${sandbox.ENTITY_ID}`)
    await settled(page)
    const keys = new Set()
    await page.route('**/favicon.svg', (route) => route.abort())
    await page.route('**/api/documents/upload', (route) => {
      keys.add(route.request().headers()['idempotency-key'])
      return route.abort()
    })
    const { name, mimeType, buffer } = await invoiceFile('NET-UP')
    await page.locator('input[type=file]').first().setInputFiles({ name, mimeType, buffer })
    await page.locator('.uploads').getByText('Waits for the connection').waitFor()
    await lost.waitFor()
    const again = page.waitForRequest('**/api/documents/upload')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    keys.add((await again).headers()['idempotency-key'])
    await page.locator('.uploads').getByRole('link', { name: 'Open' }).waitFor()
    assert.equal(keys.size, 1, 'every attempt has the same key')
  })

  await t.test('an undo that is refused is reported until the person closes it', async () => {
    const id = await made('NET-3')
    await review(id)
    await page.keyboard.press('Control+Enter')
    await page.getByText('Approved NET-3').waitFor()
    await page.route('**/reopen', (route) => route.fulfill({ status: 409, json: { error: { code: 'conflict', message: 'The bill is being created.', details: {} } } }))
    await page.locator('.notice', { hasText: 'Approved NET-3' }).getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Not undone for NET-3: The bill is being created.').waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  await t.test('a page of which the code cannot be loaded does not load the application again', async () => {
    const id = await made('NET-4')
    await review(id)
    let loads = 0
    page.on('load', () => { loads++ })
    await page.route('**/assets/**', (route) => route.abort())
    await page.getByRole('link', { name: 'Webhooks' }).first().click()
    await page.getByText('This page could not be loaded. Load the application again.').waitFor()
    assert.equal(loads, 0)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.getByRole('button', { name: 'Load again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  })

  await t.test('the page to sign in states a lost connection', async () => {
    const other = await contexts(browser, [])()
    const form = await other.newPage()
    await form.goto(`${sandbox.BASE_URL}/sign-in`)
    await form.getByLabel('E-mail').fill(sandbox.LOGIN_EMAIL)
    await form.getByLabel('Password').fill(sandbox.LOGIN_PASSWORD)
    await other.setOffline(true)
    await form.getByText('docledger cannot be reached', { exact: true }).waitFor() // a call that is sent earlier fails
    await form.getByLabel('Password').press('Enter')
    await form.getByRole('button', { name: 'Signing in' }).waitFor()
    await other.setOffline(false)
    await form.waitForURL((url) => url.pathname === '/')
    await other.close()
  })

  await t.test('the focus goes to the first new row of a list', async () => {
    await page.route('**/api/attention*', async (route) => {
      const response = await route.fetch()
      const item = { code: 'REVIEW', action: 'REVIEW', severity: 'WARNING', message: 'An invoice needs a person.', count: 1, oldest_at: null, subject: null, web_url: `${sandbox.BASE_URL}/inbox` }
      return route.fulfill({ response, json: { items: Array.from({ length: 80 }, (_, n) => ({ ...item, entity_id: `entity${n}` })) } })
    })
    await page.goto(`${sandbox.BASE_URL}/?entity=${sandbox.ENTITY_ID}`)
    await settled(page)
    await page.getByRole('button', { name: 'Show all 80' }).press('Enter')
    await page.waitForFunction(() => document.activeElement?.closest('.attention > li') === document.querySelectorAll('.attention > li')[50])
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.route('**/api/documents?*', async (route) => {
      const url = new URL(route.request().url())
      const second = url.searchParams.get('cursor') !== null
      url.searchParams.delete('cursor')
      const response = await route.fetch({ url: url.href })
      const json = await response.json()
      return route.fulfill({ response, json: { items: json.items.slice(...(second ? [2, 3] : [0, 2])), next_cursor: second ? null : 'second' } })
    })
    await page.goto(`${sandbox.BASE_URL}/documents?entity=${sandbox.ENTITY_ID}`)
    await settled(page)
    await page.getByRole('button', { name: 'Show more' }).press('Enter')
    await page.waitForFunction(() => document.activeElement === document.querySelectorAll('tbody tr')[2])
  })
})
