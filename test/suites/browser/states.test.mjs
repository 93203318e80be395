// States that are rare: no connection, what a provider does not allow, skipped files, and answers to senders.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { assertAccessible, caller, contexts, openApp, readInvoice, settled } from './web.mjs'
import { picture, signIn, startBrowser, startSandbox } from './world.mjs'

test('states of the web application that are rare', async (t) => {
  const sandbox = await startSandbox(t, '--auto-approve')
  const browser = await startBrowser(t)
  const call = caller(sandbox, await signIn(sandbox))
  const forbidden = []
  const context = await contexts(browser, forbidden)()
  const ids = []
  for (const number of ['STATE-1', 'STATE-2', 'STATE-3']) {
    ids.push((await readInvoice(call, sandbox.ENTITY_ID, number)).id)
  }
  const page = await openApp(context, sandbox)
  const review = async (id) => {
    await page.goto(`${sandbox.BASE_URL}/invoices/${id}?tab=all&entity=${sandbox.ENTITY_ID}`)
    await page.getByRole('button', { name: /^Approve/ }).waitFor()
    await settled(page)
  }
  const lost = page.getByText('docledger cannot be reached', { exact: true })
  const waits = page.locator('.decisions').getByText('Waits for the connection')

  await t.test('without a connection a value waits in its field, and is saved afterwards', async () => {
    await review(ids[0])
    await context.setOffline(true)
    await lost.waitFor()
    await page.getByText('You can continue on this page.', { exact: false }).waitFor()
    const order = page.getByLabel('Purchase order')
    await order.fill('PO-OFFLINE')
    await order.press('Tab')
    await page.getByText('1 action waits for the connection.', { exact: false }).waitFor()
    await page.locator('[data-path="purchase_order"]').getByText('Waits for the connection').waitFor()
    assert.equal(await order.inputValue(), 'PO-OFFLINE', 'the field shows what was typed')
    assert.notEqual((await call('GET', `/api/invoices/${ids[0]}`)).purchase_order, 'PO-OFFLINE')
    await context.setOffline(false)
    await page.getByText('Saved').first().waitFor()
    await lost.waitFor({ state: 'detached' })
    assert.equal((await call('GET', `/api/invoices/${ids[0]}`)).purchase_order, 'PO-OFFLINE')
  })

  await t.test('without a connection an approval waits with a sign, and continues afterwards', async () => {
    await review(ids[0])
    await context.setOffline(true)
    await lost.waitFor()
    await page.keyboard.press('Control+Enter')
    await waits.waitFor()
    await page.getByText('1 action waits for the connection.', { exact: false }).waitFor()
    assert.equal(await page.locator('.decisions [role=status]').innerText(), 'Waits for the connection', 'a screen reader announces it')
    await assertAccessible(page, 'an approval without a connection')
    await picture(page, 'web-offline')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await picture(page, 'web-offline-phone-dark')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1360, height: 860 })
    assert.equal((await call('GET', `/api/invoices/${ids[0]}`)).status, 'EXTRACTED')
    await context.setOffline(false)
    await page.getByText('Approved STATE-1').waitFor()
    await lost.waitFor({ state: 'detached' })
    assert.notEqual((await call('GET', `/api/invoices/${ids[0]}`)).status, 'EXTRACTED')
  })

  await t.test('without a connection the page stays until the code of the next one is there', async () => {
    await review(ids[1])
    await context.setOffline(true)
    await lost.waitFor()
    await page.getByRole('link', { name: 'Suppliers', exact: true }).click()
    await page.getByText('You can continue on this page.', { exact: false }).waitFor()
    await page.getByLabel('Purchase order').waitFor()
    assert.equal(await page.getByText('Something went wrong').count(), 0)
    await context.setOffline(false)
    await page.getByRole('heading', { level: 1, name: 'Suppliers' }).waitFor()
    await lost.waitFor({ state: 'detached' })
  })

  await t.test('an approval of which the response is lost is not done twice', async () => {
    await review(ids[1])
    let sent = 0
    await page.route('**/approve', async (route) => {
      sent++
      await route.fetch({ maxRetries: 2 }) // a kept connection can end meanwhile; a second approval changes nothing
      await route.abort()
    })
    try {
      await page.keyboard.press('Control+Enter')
      // The invoice does not tell who approved it, so that Undo is not offered.
      await page.getByText('STATE-2 is approved').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)
      assert.equal(sent, 1)
    } finally {
      await page.unroute('**/approve')
    }
  })

  await t.test('an approval that was not received is sent again', async () => {
    await review(ids[2])
    await page.route('**/approve', (route) => route.abort(), { times: 1 })
    await page.keyboard.press('Control+Enter')
    await page.getByText('Approved STATE-3').waitFor()
    assert.notEqual((await call('GET', `/api/invoices/${ids[2]}`)).status, 'EXTRACTED')
  })

  await t.test('what a provider does not allow is stated on the page of the integration', async () => {
    await page.goto(`${sandbox.BASE_URL}/integrations?entity=${sandbox.ENTITY_ID}`)
    await page.locator('.stack', { has: page.getByRole('heading', { level: 3, name: 'Accounting A' }) }).getByRole('button', { name: 'Connect' }).first().click()
    await page.getByRole('radio').first().check({ force: true })
    await page.getByRole('button', { name: 'Activate' }).click()
    await page.getByRole('heading', { level: 2, name: 'Chart of accounts' }).waitFor()
    await page.route('**/api/integrations/*/status', async (route) => {
      const response = await route.fetch()
      const report = await response.json()
      report.unavailable = [
        { capability: 'attachments', reason: 'The consent does not contain the scope for files.', remedy: 'Reconnect and allow access to files.' },
        { capability: 'notifications', reason: 'The address of this installation is not reachable for the provider.', remedy: 'Set BASE_URL to a public address.' },
      ]
      await route.fulfill({ response, json: report })
    })
    await page.reload()
    for (const text of ['Originals are not attached to the bills', 'Reconnect and allow access to files.', 'Changes are not announced by the provider; docledger looks for them at intervals']) {
      await page.getByText(text, { exact: true }).waitFor()
    }
    await settled(page)
    await assertAccessible(page, 'unavailable capabilities')
    await picture(page, 'web-unavailable')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await picture(page, 'web-unavailable-phone-dark')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1360, height: 860 })
  })

  await t.test('the skipped files of a document store have their reasons', async () => {
    await page.goto(`${sandbox.BASE_URL}/integrations?entity=${sandbox.ENTITY_ID}`)
    await page.locator('.stack', { has: page.getByRole('heading', { level: 3, name: 'Document store A' }) }).getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('radiogroup', { name: 'Site' }).getByRole('radio').first().check({ force: true })
    await page.getByRole('radiogroup', { name: 'Document library' }).getByRole('radio').first().check({ force: true })
    await page.getByRole('button', { name: 'Activate' }).click()
    await page.getByText('No file was skipped', { exact: true }).waitFor()
    const at = '2026-11-20T10:00:00Z'
    await page.route('**/skipped?*', (route) => {
      const second = new URL(route.request().url()).searchParams.get('cursor')
      return route.fulfill({ json: second
        ? { items: [{ at, path: 'Invoices/empty.pdf', reason: 'empty' }], next_cursor: null }
        : { items: [{ at, path: 'Invoices/2026/scan of the whole year.pdf', reason: 'too_large' }, { at, path: 'Invoices/~$april.xlsx', reason: 'temporary' }], next_cursor: 'second' } })
    })
    await page.reload()
    const table = page.getByRole('table', { name: 'Skipped files' })
    await table.getByRole('row', { name: /whole year.*Larger than an upload may be/ }).waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await table.getByRole('row', { name: /empty\.pdf.*Empty file/ }).waitFor()
    await assertAccessible(page, 'skipped files')
    await picture(page, 'web-skipped')
    await page.unroute('**/skipped?*')
  })

  await t.test('answers to senders are switched on where the installation sends e-mail, and not offered elsewhere', async () => {
    await page.goto(`${sandbox.BASE_URL}/entities/${sandbox.ENTITY_ID}`)
    await page.getByRole('heading', { name: 'Invoices by e-mail' }).waitFor()
    await settled(page)
    const toggle = page.getByRole('switch', { name: /answer/i })
    assert.equal(await toggle.count(), 0, 'an installation that sends no e-mail offers no answers')
    const changes = []
    let on = false
    await page.route('**/api/entities/*/email', async (route) => {
      if (route.request().method() === 'PUT') {
        changes.push(route.request().postDataJSON())
        on = changes.at(-1).answer_senders
        const response = await route.fetch({ method: 'GET', postData: undefined })
        return route.fulfill({ response, json: { ...(await response.json()), answer_senders: on } })
      }
      const response = await route.fetch()
      return route.fulfill({ response, json: { ...(await response.json()), answer_senders: on } })
    })
    await page.reload()
    await toggle.waitFor()
    assert.equal(await toggle.isChecked(), false)
    await toggle.focus()
    await page.keyboard.press('Space')
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.waitForFunction(() => [...document.querySelectorAll('[role=switch]')].some((s) => s.checked && /answer/i.test(s.closest('label').textContent)))
    assert.deepEqual(changes, [{ answer_senders: true }])
    await toggle.scrollIntoViewIfNeeded()
    await assertAccessible(page, 'answers to senders')
    await picture(page, 'web-answer-senders')
    await page.setViewportSize({ width: 390, height: 844 })
    await toggle.scrollIntoViewIfNeeded()
    await picture(page, 'web-answer-senders-phone')
  })

  assert.deepEqual(forbidden, [])
})
