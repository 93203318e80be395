// Suppliers, and who takes care of which invoice.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { checkPages } from './pages.mjs'
import { assertAccessible, caller, contexts, openApp, readInvoice, settled } from './web.mjs'
import { picture, signIn, startBrowser, startSandbox } from './world.mjs'

const ibans = { first: 'DE02120300000000202051', second: 'DE02500105170137075030' }

test('suppliers, assignment and notes', async (t) => {
  const sandbox = await startSandbox(t, '--auto-approve')
  const browser = await startBrowser(t)
  const call = caller(sandbox, await signIn(sandbox))
  const forbidden = []
  const newContext = contexts(browser, forbidden)
  const page = await openApp(await newContext(), sandbox)
  const at = (path) => page.goto(sandbox.BASE_URL + path + (path.includes('?') ? '&' : '?') + `entity=${sandbox.ENTITY_ID}`)
  const read = (number, options) => readInvoice(call, sandbox.ENTITY_ID, number, options)
  const approve = async ({ id, version, checks }) =>
    call('POST', `/api/invoices/${id}/approve`, { version, acknowledge_checks: checks.filter((c) => !c.passed && c.severity === 'BLOCKING').map((c) => c.rule) })
  const me = await call('GET', '/api/me')

  await approve(await read('SUP-1', { supplier: 'Northern Paper Works', iban: ibans.first }))
  const changed = await read('SUP-2', { supplier: 'Northern Paper Works', iban: ibans.second })
  const supplier = (await call('GET', `/api/suppliers?entity_id=${sandbox.ENTITY_ID}&q=Northern`)).items[0]

  await t.test('a changed bank account is shown with the known one, and confirmed with the way of checking', async () => {
    await at(`/invoices/${changed.id}`)
    const check = page.locator('.check-row', { hasText: 'Bank account is new' })
    await check.getByText('DE02 5001 0517 0137 0750 30').waitFor()
    await check.getByText('DE02 1203 0000 0000 2020 51').waitFor()
    await picture(page, 'web-bank-account-changed')
    await check.getByRole('button', { name: 'Confirm the account' }).click()
    const dialog = page.getByRole('dialog')
    assert.equal(await dialog.getByRole('button', { name: 'Confirm the account' }).isDisabled(), true, 'no way of checking is preselected')
    await dialog.getByRole('radio').first().focus()
    await page.keyboard.press('Space')
    await picture(page, 'web-bank-account-confirm')
    await dialog.getByRole('button', { name: 'Confirm the account' }).click()
    await check.waitFor({ state: 'detached' })
    const account = (await call('GET', `/api/suppliers/${supplier.id}`)).ibans.find((a) => a.iban === ibans.second)
    assert.equal(account.known, true)
    assert.equal(account.confirmed.method, 'phone')
    assert.equal(account.confirmed.by, me.user.id)
  })

  await t.test('a supplier is found by its bank account, and its record is changed', async () => {
    await at('/suppliers')
    await page.getByRole('link', { name: 'Northern Paper Works' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('no such supplier')
    await page.getByText('No supplier matches the search').waitFor()
    await page.getByRole('searchbox').fill(ibans.second)
    await page.getByRole('link', { name: 'Northern Paper Works' }).click()
    await page.getByRole('heading', { level: 1, name: 'Northern Paper Works' }).waitFor()
    await page.getByText(/By telephone · You/).waitFor()
    await page.getByLabel('Other names').fill('Northern Paper\nNPW')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    assert.deepEqual((await call('GET', `/api/suppliers/${supplier.id}`)).aliases, ['Northern Paper', 'NPW'])
    await page.getByRole('link', { name: 'Show all in the inbox' }).click()
    await page.getByText('Only Northern Paper Works').waitFor()
    await page.getByRole('row', { name: /SUP-2/ }).waitFor()
  })

  await t.test('a supplier gets a default account and tax rate of the ledger', async () => {
    await at('/integrations')
    await page.locator('.stack', { has: page.getByRole('heading', { level: 3, name: 'Accounting A' }) }).getByRole('button', { name: 'Connect' }).first().click()
    await page.getByRole('radio').first().check({ force: true })
    await page.getByRole('button', { name: 'Activate' }).click()
    await page.getByRole('heading', { level: 2, name: 'Chart of accounts' }).waitFor()
    await at(`/suppliers/${supplier.id}`)
    for (const [name, key] of [['Default account', 'default_account_id'], ['Default tax rate', 'default_tax_rate_id']]) {
      await page.getByRole('combobox', { name }).click()
      await page.keyboard.press('ArrowDown')
      // The ledger keeps accounts of some classes for its own postings.
      await page.getByRole('option').filter({ hasText: key === 'default_account_id' ? 'Expense' : /^(?!None$)/ }).first().click()
      await page.getByText('Saved', { exact: true }).first().waitFor()
      await page.getByText('Saved', { exact: true }).first().waitFor({ state: 'detached' })
      assert.ok((await call('GET', `/api/suppliers/${supplier.id}`))[key], key)
    }
    assert.equal(await page.getByText('Chosen by a person.').count(), 2)
  })

  await t.test('the companies of one consent are connected to entities in one table', async () => {
    const entities = (await call('GET', '/api/entities')).items
    const other = entities.find((e) => e.id !== sandbox.ENTITY_ID)
    const integration = (await call('GET', '/api/integrations')).items.flatMap((p) => p.integrations)[0]
    await at(`/integrations/${integration.id}`)
    const table = page.getByRole('table', { name: 'Companies of this consent' })
    await table.getByRole('button', { name: /Not connected/ }).first().click()
    await page.getByRole('option', { name: other.name, exact: true }).click()
    await picture(page, 'web-companies')
    await assertAccessible(page, 'companies of a consent')
    await page.getByRole('button', { name: 'Connect 1 entity' }).click()
    await page.getByText('1 entity is connected.').waitFor()
    const connected = (await call('GET', `/api/integrations?entity_id=${other.id}`)).items.flatMap((p) => p.integrations)
    assert.deepEqual(connected.map((i) => i.status), ['ACTIVE'])
  })

  await t.test('photos of several pages become one document', async () => {
    await at('/inbox')
    const photos = await Promise.all([1, 2].map(async (n) => ({ name: `IMG_${n}.png`, mimeType: 'image/png', buffer: await page.screenshot({ clip: { x: 0, y: 0, width: 600, height: 800 } }) })))
    await page.getByRole('button', { name: 'More ways to upload' }).first().click()
    await page.getByRole('menuitem', { name: 'Take photos …' }).click()
    const dialog = page.getByRole('dialog')
    for (const photo of photos) {
      const chooser = page.waitForEvent('filechooser')
      await dialog.getByRole('button', { name: /Take a photo|Another page/ }).click()
      await (await chooser).setFiles([photo])
    }
    await dialog.getByRole('img', { name: 'Page 2' }).waitFor()
    await picture(page, 'web-camera')
    await assertAccessible(page, 'photos')
    const answer = page.waitForResponse((r) => r.url().endsWith('/api/documents/upload'))
    await dialog.getByRole('button', { name: 'Upload 2 pages' }).click()
    const document = await (await answer).json()
    assert.equal(document.media_type, 'application/pdf')
    const token = await signIn(sandbox)
    const page2 = await fetch(`${sandbox.BASE_URL}/api/documents/${document.id}/pages/2?width=400`, { headers: { Authorization: `Bearer ${token}` } })
    assert.equal(page2.status, 200)
    await page.getByRole('button', { name: 'Close' }).first().click()
  })

  await t.test('a supplier is merged into another one', async () => {
    await approve(await read('SUP-3', { supplier: 'NPW Trading', change: (text) => text.replace(/(<cac:AccountingSupplierParty>[\s\S]*?)<cac:PartyTaxScheme>[\s\S]*?<\/cac:PartyTaxScheme>/, '$1') }))
    const double = (await call('GET', `/api/suppliers?entity_id=${sandbox.ENTITY_ID}&q=NPW%20Trading`)).items[0]
    await at(`/suppliers/${double.id}`)
    await page.getByRole('button', { name: 'Merge' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('searchbox').fill('Northern')
    await dialog.getByRole('radio', { name: /Northern Paper Works/ }).check({ force: true })
    await picture(page, 'web-supplier-merge')
    await dialog.getByRole('button', { name: 'Merge' }).click()
    await page.getByRole('heading', { level: 1, name: 'Northern Paper Works' }).waitFor()
    assert.equal((await call('GET', `/api/suppliers/${double.id}`)).id, supplier.id)
  })

  await t.test('an invoice is assigned and gets a note by keyboard, in the inbox', async () => {
    await at('/inbox?tab=all&sort=issue_date')
    await page.getByRole('row', { name: /SUP-2/ }).waitFor()
    await page.getByRole('row', { name: /SUP-2/ }).getByRole('link').focus()
    await page.keyboard.press('m')
    await page.getByRole('dialog').getByRole('option', { name: 'You' }).waitFor()
    await picture(page, 'web-assign')
    await page.keyboard.type('You')
    await page.keyboard.press('Enter')
    await page.getByText('1 invoice is assigned.').waitFor()
    assert.equal((await call('GET', `/api/invoices/${changed.id}`)).assigned_to, me.user.id)
    await page.getByRole('row', { name: /SUP-2/ }).getByText('You').waitFor()
    await page.getByRole('row', { name: /SUP-2/ }).getByRole('link').focus()
    await page.keyboard.press('n')
    await page.getByRole('dialog').getByRole('textbox').waitFor()
    await page.keyboard.type('Waiting for the delivery note')
    await page.keyboard.press('Enter')
    await page.getByText('Note added to SUP-2').waitFor()
    await page.getByRole('button', { name: 'Assigned to me' }).click()
    await page.waitForURL(/assigned=me/)
    await page.getByRole('row', { name: /SUP-1/ }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /SUP-2/ }).waitFor()
    await picture(page, 'web-inbox-mine')
  })

  await t.test('the review shows notes, and assigns', async () => {
    await at(`/invoices/${changed.id}`)
    await page.getByRole('list', { name: 'Notes' }).getByText('Waiting for the delivery note').waitFor()
    await settled(page)
    await page.getByRole('button', { name: 'Assigned to You' }).waitFor()
    await page.evaluate(() => document.activeElement.blur())
    await page.keyboard.press('n')
    await page.keyboard.type('It is here')
    await page.keyboard.press('Enter')
    await page.getByRole('list', { name: 'Notes' }).getByText('It is here').waitFor()
    await page.evaluate(() => document.activeElement.blur())
    await page.keyboard.press('m')
    await page.getByRole('dialog').getByRole('option', { name: 'No one' }).click()
    await page.getByRole('button', { name: 'Assign', exact: true }).waitFor()
    assert.equal((await call('GET', `/api/invoices/${changed.id}`)).assigned_to, null)
  })

  await t.test('the heads of columns sort the inbox, and the order is in the address', async () => {
    await at('/inbox?tab=all')
    const column = page.getByRole('columnheader', { name: 'Due' })
    await column.getByRole('button').click()
    await page.waitForURL(/sort=-due_date/)
    assert.equal(await column.getAttribute('aria-sort'), 'descending')
    await column.getByRole('button').press('Enter')
    await page.waitForURL(/sort=due_date/)
    assert.equal(await column.getAttribute('aria-sort'), 'ascending')
    await column.getByRole('button').click()
    await page.waitForURL((url) => !url.searchParams.has('sort'))
  })

  await checkPages(t, { newContext, sandbox, pages: { suppliers: '/suppliers', supplier: `/suppliers/${supplier.id}`, 'inbox-sorted': '/inbox?tab=all&sort=-due_date&assigned=none', 'review-notes': `/invoices/${changed.id}` } })
  assert.deepEqual(forbidden, [])
})
