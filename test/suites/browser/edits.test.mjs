// Nothing that a person did is lost or applied to something that they did not see.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { assertAccessible, caller, contexts, openApp, readInvoice, settled } from './web.mjs'
import { signIn, startBrowser, startSandbox } from './world.mjs'

test('edits and decisions that are refused or wait', async (t) => {
  const sandbox = await startSandbox(t, '--auto-approve')
  const browser = await startBrowser(t)
  const call = caller(sandbox, await signIn(sandbox))
  const forbidden = []
  const context = await contexts(browser, forbidden)()
  const made = async (number) => (await readInvoice(call, sandbox.ENTITY_ID, number)).id
  const get = (id) => call('GET', `/api/invoices/${id}`)
  const page = await openApp(context, sandbox)
  const review = async (id) => {
    await page.goto(`${sandbox.BASE_URL}/invoices/${id}?tab=all&entity=${sandbox.ENTITY_ID}`)
    await page.getByRole('button', { name: /^Approve/ }).waitFor()
    await settled(page)
  }
  const lost = page.getByText('docledger cannot be reached', { exact: true })
  const waiting = (count) => page.getByText(count === 1 ? '1 action waits' : `${count} actions wait`, { exact: false }).waitFor()
  const refused = page.getByText('Nothing was decided, because a change before it is not saved')
  const order = page.getByLabel('Purchase order')
  const orderField = page.locator('[data-path="purchase_order"]')
  const type = async (field, value) => {
    await field.fill(value)
    await field.press('Tab')
  }
  const offline = async () => {
    await context.setOffline(true)
    await lost.waitFor()
  }
  const online = async () => {
    await context.setOffline(false)
    await lost.waitFor({ state: 'detached' })
  }
  const isPatch = (route) => route.request().method() === 'PATCH'

  await t.test('after a conflict, queued edits are not sent and nothing is approved', async () => {
    const id = await made('EDIT-1')
    await review(id)
    await offline()
    await type(order, 'PO-MINE')
    await type(page.getByLabel('Invoice number'), 'EDIT-1-MINE')
    await waiting(2)
    await call('PATCH', `/api/invoices/${id}`, { purchase_order: 'PO-COLLEAGUE' })
    await page.keyboard.press('Control+Enter')
    await online()
    await refused.waitFor()
    await orderField.getByRole('button', { name: 'Keep mine: PO-MINE' }).waitFor()
    await page.locator('[data-path="invoice_number"]').getByRole('button', { name: 'Keep mine: EDIT-1-MINE' }).waitFor()
    const { status, purchase_order, invoice_number } = await get(id)
    assert.deepEqual({ status, purchase_order, invoice_number }, { status: 'EXTRACTED', purchase_order: 'PO-COLLEAGUE', invoice_number: 'EDIT-1' })
    await assertAccessible(page, 'edits that are not saved')
    // Another page states it too, with a link to the invoice.
    await page.getByRole('link', { name: 'Suppliers', exact: true }).click()
    await page.getByText('Not saved: invoice EDIT-1').waitFor()
    await page.locator('.banners').getByRole('link', { name: 'Open' }).click()
    await orderField.getByRole('button', { name: 'Take theirs: PO-COLLEAGUE' }).click()
    await page.locator('[data-path="invoice_number"]').getByRole('button', { name: 'Keep mine: EDIT-1-MINE' }).click()
    await page.keyboard.press('Control+Enter')
    await page.getByText('Approved EDIT-1-MINE').waitFor()
    assert.equal((await get(id)).purchase_order, 'PO-COLLEAGUE')
  })

  await t.test('an edit that failed keeps its value, and the approval is refused although a later edit was saved', async () => {
    const id = await made('EDIT-2')
    await review(id)
    const refuse = (route) => (isPatch(route) ? route.fulfill({ status: 400, json: { error: { code: 'invalid_request', message: 'Refused here.', details: {} } } }) : route.fallback())
    await page.route('**/api/invoices/*', refuse)
    await type(order, 'PO-FAILED')
    await orderField.getByText('Refused here.').waitFor()
    await page.unroute('**/api/invoices/*', refuse)
    await type(page.getByLabel('Invoice number'), 'EDIT-2-X')
    await page.keyboard.press('Control+Enter')
    await refused.waitFor()
    assert.equal(await order.inputValue(), 'PO-FAILED')
    assert.equal((await get(id)).status, 'EXTRACTED')
    assert.equal((await get(id)).invoice_number, 'EDIT-2-X')
    await orderField.getByRole('button', { name: 'Try again' }).click()
    await page.keyboard.press('Control+Enter')
    await page.getByText('Approved EDIT-2-X').waitFor()
    assert.equal((await get(id)).purchase_order, 'PO-FAILED')
  })

  await t.test('a text that is no amount is not dropped by an approval', async () => {
    const id = await made('EDIT-3')
    await review(id)
    await page.locator('[data-path="net_total"] input').fill('twelve')
    await page.keyboard.press('Control+Enter')
    await refused.waitFor()
    assert.equal((await get(id)).status, 'EXTRACTED')
    await page.locator('[data-path="net_total"]').getByRole('button', { name: 'Discard' }).click()
    await page.keyboard.press('Control+Enter')
    await page.getByText('Approved EDIT-3').waitFor()
  })

  await t.test('an edit waits while its invoice is closed, and goes before the approval', async () => {
    const id = await made('EDIT-4')
    await made('EDIT-5')
    await review(id)
    await offline()
    await type(order, 'PO-KEEP')
    await page.evaluate(() => document.activeElement?.blur())
    await page.keyboard.press('j')
    await page.waitForURL((url) => !url.pathname.endsWith(id))
    await page.goBack()
    await page.waitForURL((url) => url.pathname.endsWith(id))
    await page.waitForFunction(() => document.querySelector('[data-path="purchase_order"] input')?.value === 'PO-KEEP')
    await page.keyboard.press('Control+Enter')
    await page.locator('.decisions').getByText('Waits for the connection').waitFor()
    assert.equal(await order.getAttribute('readonly'), '', 'a value cannot be changed after the decision')
    await online()
    await page.getByText('Approved EDIT-4').waitFor()
    assert.equal((await get(id)).purchase_order, 'PO-KEEP')
  })

  await t.test('a decision that waits is not made on a version that the person did not see', async () => {
    for (const decision of ['approve', 'reject']) {
      const id = await made(`EDIT-SEEN-${decision}`)
      await review(id)
      await offline()
      if (decision === 'approve') {
        await page.keyboard.press('Control+Enter')
      } else {
        await page.keyboard.press('r')
        await page.getByRole('dialog').getByRole('textbox').fill('not ours')
        await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
      }
      await page.locator('.decisions').getByText('Waits for the connection').waitFor()
      await call('PATCH', `/api/invoices/${id}`, { purchase_order: 'PO-COLLEAGUE' })
      await online()
      await page.locator('.data-scroll .banner.red').waitFor()
      assert.equal((await get(id)).status, 'EXTRACTED', decision)
    }
  })

  await t.test('a bulk action that waits is counted, and is done to what was selected at the click', async () => {
    const ids = [await made('BULK-1'), await made('BULK-2')]
    await page.goto(`${sandbox.BASE_URL}/inbox?tab=all&entity=${sandbox.ENTITY_ID}`)
    await page.getByText('BULK-2').first().waitFor()
    await settled(page)
    const tick = (number) => page.locator('[role=row]', { hasText: number }).getByRole('checkbox').click({ force: true })
    await tick('BULK-1')
    await offline()
    await page.locator('.bulk').getByRole('button', { name: 'Approve' }).click()
    await waiting(1)
    const asks = await page.evaluate(() => {
      const event = new Event('beforeunload', { cancelable: true })
      window.dispatchEvent(event)
      return event.defaultPrevented
    })
    assert.ok(asks, 'the browser asks before the page is closed')
    await tick('BULK-1')
    await tick('BULK-2')
    await online()
    await page.getByText('1 invoice approved.').waitFor()
    assert.notEqual((await get(ids[0])).status, 'EXTRACTED')
    assert.equal((await get(ids[1])).status, 'EXTRACTED')
    await page.locator('.bulk').getByText('1 invoice selected').waitFor()
  })

  await t.test('an edit of a line shows that it waits, and what was entered', async () => {
    const id = await made('LINE-1')
    await review(id)
    if (await page.locator('[data-cell="0-description"]').count() === 0) {
      await page.getByRole('button', { name: /Show the lines/ }).click()
    }
    const cell = page.locator('[data-cell="0-description"]')
    await offline()
    await type(cell, 'Typed text')
    await page.getByText('Waits for the connection: Description of line 1 – Typed text').waitFor()
    assert.equal(await cell.inputValue(), 'Typed text')
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH' && response.ok())
    await online()
    await page.getByText('Waits for the connection: ', { exact: false }).waitFor({ state: 'detached' })
    await saved // it is sent now, and waits no longer
    assert.equal((await get(id)).lines[0].description, 'Typed text')
  })

  await t.test('what is typed after Tab replaces the value, also where it is shown in another notation', async () => {
    const id = await made('TAB-1')
    const german = await openApp(await contexts(browser, forbidden)({ locale: 'de-DE' }), sandbox, `/invoices/${id}?tab=all&entity=${sandbox.ENTITY_ID}`)
    await german.getByLabel('Net', { exact: true }).focus()
    await german.keyboard.press('Tab')
    await german.keyboard.type('51,07')
    await german.keyboard.press('Tab')
    await german.getByText('Tax differs by', { exact: false }).first().waitFor()
    assert.equal((await get(id)).tax_total, '51.07')
    if (await german.locator('[data-cell="0-net_amount"]').count() === 0) {
      await german.getByRole('button', { name: /Show the lines/ }).click()
    }
    await german.locator('[data-cell="0-unit_price"]').focus()
    const saved = german.waitForResponse((response) => response.request().method() === 'PATCH' && response.ok())
    await german.keyboard.type('12,345')
    await german.keyboard.press('Tab')
    await saved
    assert.equal(Number((await get(id)).lines[0].unit_price), 12.345)
    // A value that is only visited is not changed.
    await german.locator('[data-cell="0-unit_price"]').focus()
    await german.keyboard.press('Tab')
    const next = german.waitForResponse((response) => response.request().method() === 'PATCH' && response.ok())
    await german.locator('[data-cell="0-description"]').focus()
    await german.keyboard.type('Visited')
    await german.keyboard.press('Tab')
    await next
    const line = (await get(id)).lines[0]
    assert.deepEqual([Number(line.unit_price), line.description], [12.345, 'Visited'])
    await german.context().close()
  })

  await t.test('a click into a value places the caret', async () => {
    const id = await made('CLICK-1')
    await review(id)
    await type(order, 'PO-1234567890')
    const { width, height } = await order.boundingBox()
    await order.click({ position: { x: width - 20, y: height / 2 } }) // behind the text
    await page.keyboard.type('X')
    assert.equal(await order.inputValue(), 'PO-1234567890X')
    await page.keyboard.press('Tab')
  })

  await t.test('typing continues after what was pasted', async () => {
    await review(await made('PASTE-1'))
    if (await page.locator('[data-cell="0-description"]').count() === 0) {
      await page.getByRole('button', { name: /Show the lines/ }).click()
    }
    const cell = page.locator('[data-cell="0-description"]')
    await cell.focus()
    await cell.evaluate((element) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'Pasted\t2')
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    })
    await page.waitForFunction(() => document.querySelector('[data-cell="0-description"]').value === 'Pasted')
    await page.keyboard.type(' on')
    assert.equal(await cell.inputValue(), 'Pasted on')
    await page.keyboard.press('Tab')
  })

  await t.test('amounts are visited and typed in a notation with signs of its own', async () => {
    const id = await made('TAB-2')
    const arabic = await openApp(await contexts(browser, forbidden)({ locale: 'ar-EG' }), sandbox, `/invoices/${id}?tab=all&entity=${sandbox.ENTITY_ID}`)
    const { net_total } = await get(id)
    await arabic.getByLabel('Net', { exact: true }).focus()
    assert.equal(await arabic.getByLabel('Net', { exact: true }).inputValue(), net_total.replace('.', '٫'))
    await arabic.keyboard.press('Tab')
    const saved = arabic.waitForResponse((response) => response.request().method() === 'PATCH' && response.ok())
    await arabic.keyboard.type('1٬051٫07')
    await arabic.keyboard.press('Tab')
    await saved
    assert.equal(await arabic.getByText('This is not an amount.').count(), 0, 'a value that is only visited is refused')
    const changed = await get(id)
    assert.deepEqual([changed.net_total, changed.tax_total], [net_total, '1051.07'])
    await arabic.context().close()
  })

  await t.test('an edit of which the response is lost is saved and is no conflict', async () => {
    const id = await made('LOST-1')
    await review(id)
    let sent = 0
    const lose = async (route) => {
      if (!isPatch(route)) {
        return route.fallback()
      }
      sent++
      await route.fetch()
      return route.abort()
    }
    await page.route('**/api/invoices/*', lose)
    await type(order, 'PO-LOST')
    // The approval is made only if the edit counts as saved.
    await page.keyboard.press('Control+Enter')
    await page.getByText('Approved LOST-1').waitFor()
    await page.unroute('**/api/invoices/*', lose)
    assert.equal(sent, 1)
    assert.equal((await get(id)).purchase_order, 'PO-LOST')
  })

  await t.test('what waits is kept when the session ends meanwhile, and can be sent after the next sign-in', async () => {
    const id = await made('ENDED-1')
    await review(id)
    await offline()
    await type(order, 'PO-SESSION')
    await waiting(1)
    const end = (route) => route.fulfill({ status: 401, json: { error: { code: 'unauthenticated', message: 'Expired.', details: {} } } })
    await page.route('**/api/**', end)
    await context.setOffline(false)
    await page.waitForURL((url) => url.pathname === '/sign-in')
    await page.unroute('**/api/**', end)
    await page.getByLabel('E-mail').fill(sandbox.LOGIN_EMAIL)
    await page.getByLabel('Password').fill(sandbox.LOGIN_PASSWORD)
    await page.keyboard.press('Enter')
    await orderField.getByRole('button', { name: 'Try again' }).click()
    await page.keyboard.press('Control+Enter')
    await page.getByText('Approved ENDED-1').waitFor()
    assert.equal((await get(id)).purchase_order, 'PO-SESSION')
  })

  assert.deepEqual(forbidden.filter((text) => !/unauthenticated|Expired|ERR_/.test(text)), [])
})
