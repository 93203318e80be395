// The web application as a clerk and an administrator use it.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { checkPages } from './pages.mjs'
import { assertAccessible, caller, contexts, invoiceFile, openApp, readInvoice, settled, wrongTax } from './web.mjs'
import { picture, signIn, startBrowser, startSandbox } from './world.mjs'

test('the web application', async (t) => {
  const sandbox = await startSandbox(t, '--auto-approve')
  const browser = await startBrowser(t)
  const call = caller(sandbox, await signIn(sandbox))
  const forbidden = []
  const newContext = contexts(browser, forbidden)
  const context = await newContext()
  const page = await openApp(context, sandbox)

  await t.test('an address leads to its page after sign-in, and a wrong password does not', async () => {
    const other = await (await newContext()).newPage()
    await other.goto(`${sandbox.BASE_URL}/members`)
    await other.getByLabel('E-mail').fill(sandbox.LOGIN_EMAIL)
    await other.getByLabel('Password').fill('wrong password')
    await other.keyboard.press('Enter')
    await other.getByText('The e-mail or the password is wrong.').waitFor()
    await other.getByLabel('Password').fill(sandbox.LOGIN_PASSWORD)
    await other.keyboard.press('Enter')
    await other.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
    const stored = await other.evaluate(() => ({ local: JSON.stringify(localStorage), address: location.href, cookies: document.cookie }))
    const { token } = await other.evaluate(() => JSON.parse(sessionStorage.getItem('docledger.session')))
    assert.ok(token.length > 20)
    assert.ok(!Object.values(stored).some((text) => text.includes(token)), 'the token is outside sessionStorage')
    await other.context().close()
  })

  await t.test('sign-in leads only to pages of the application', async () => {
    const other = await (await newContext()).newPage()
    await other.goto(`${sandbox.BASE_URL}/sign-in?next=${encodeURIComponent('//evil.example/x')}`)
    await other.getByLabel('E-mail').fill(sandbox.LOGIN_EMAIL)
    await other.getByLabel('Password').fill(sandbox.LOGIN_PASSWORD)
    await other.keyboard.press('Enter')
    await other.getByRole('heading', { level: 1, name: 'Attention' }).waitFor()
    assert.equal(new URL(other.url()).origin, sandbox.BASE_URL)
    await other.context().close()
  })

  await t.test('20 documents are uploaded with progress, and appear without reloading', async () => {
    await page.getByRole('link', { name: 'Inbox' }).first().click()
    const files = []
    for (let i = 1; i <= 20; i++) {
      files.push(await invoiceFile(`WEB-${String(i).padStart(3, '0')}`, { change: i <= 2 ? wrongTax : undefined }))
    }
    await page.getByRole('link', { name: /^All/ }).click()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload', exact: true }).first().click()
    await (await chooser).setFiles(files)
    // With several entities the page asks for that of the files.
    const { name } = await call('GET', `/api/entities/${sandbox.ENTITY_ID}`)
    const question = page.getByRole('dialog')
    await question.getByRole('combobox').fill(name)
    await page.getByRole('option', { name, exact: true }).click()
    await picture(page, 'web-upload-entity')
    await question.getByRole('button', { name: 'Upload', exact: true }).click()
    await page.getByText('20 files uploaded').waitFor()
    await page.getByRole('table', { name: 'Invoices' }).getByText('WEB-020').waitFor()
    await page.getByRole('link', { name: /^Ready 18/ }).waitFor()
    await page.getByRole('link', { name: /^To check 2/ }).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
  })

  await t.test('a failed upload is named and can be tried again', async () => {
    await page.goto(`${sandbox.BASE_URL}/inbox?entity=${sandbox.ENTITY_ID}`)
    await page.route('**/api/documents/upload', (route) => route.abort(), { times: 4 })
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload', exact: true }).first().click()
    await (await chooser).setFiles([await invoiceFile('WEB-RETRY')])
    await page.getByText('Failed', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('1 file uploaded').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
  })

  await t.test('the documents that could not be read are found by their state and by a part of the name', async () => {
    await call('POST', '/api/documents/upload', { entity_id: sandbox.ENTITY_ID, filename: 'words.txt', content: Buffer.from('no invoice').toString('base64') })
    await page.goto(`${sandbox.BASE_URL}/inbox?entity=${sandbox.ENTITY_ID}`)
    await page.getByRole('link', { name: '1 document needs attention' }).click()
    await page.getByRole('row', { name: /words\.txt/ }).waitFor()
    assert.equal(await page.getByRole('row').count(), 2, 'a document that was read is in the list of those that were not')
    await page.getByRole('searchbox').fill('no such file')
    await page.getByText('No document matches the filter').waitFor()
    await page.getByRole('searchbox').fill('WEB-RETRY')
    await page.getByRole('button', { name: /State/ }).click()
    await page.getByRole('option', { name: 'All states' }).click()
    await page.getByRole('row', { name: /WEB-RETRY/ }).waitFor()
    assert.equal(await page.getByRole('row').count(), 2)
    await page.reload()
    await page.getByRole('row', { name: /WEB-RETRY/ }).waitFor()
  })

  await t.test('a list that could not be read is not called empty', async () => {
    const nobodys = '01936b1e-0000-7000-8000-0000000000ff'
    for (const [path, empty] of [['/inbox?tab=all', 'Drop files anywhere in this window, or choose them.'], ['/documents?status=SPLIT', 'No document matches the filter']]) {
      await page.goto(`${sandbox.BASE_URL}${path}&entity=${nobodys}`)
      await page.getByRole('alert').getByText('There is no such entity').waitFor()
      assert.equal(await page.getByText(empty).count(), 0, `${path} is called empty`)
    }
  })

  await t.test('the dates of an overdue invoice are not cut off in the inbox', async () => {
    await readInvoice(call, sandbox.ENTITY_ID, 'WEB-OVERDUE', { due: '2025-09-28', change: (text) => text.replace(/(<cbc:IssueDate>)[^<]*/, '$12025-09-28') })
    await page.setViewportSize({ width: 1280, height: 860 })
    await page.goto(`${sandbox.BASE_URL}/inbox?tab=all&q=WEB-OVERDUE&entity=${sandbox.ENTITY_ID}`)
    await page.getByRole('row', { name: /WEB-OVERDUE/ }).waitFor()
    for (const cell of ['.issued', '.due']) {
      const [inside, width] = await page.locator(`.body ${cell}`).evaluate((element) => [element.scrollWidth, element.clientWidth])
      assert.ok(inside <= width, `${cell} is ${inside - width} pixels too narrow`)
    }
    await page.setViewportSize({ width: 1360, height: 860 })
  })

  // Also has the document store, so that its files do not change the inbox of the other entity.
  const secondEntity = (await call('POST', '/api/entities', { name: 'Second Company' })).id
  for (const [provider, title, entity] of [['ACCOUNTING_A', 'Accounting A', sandbox.ENTITY_ID], ['ACCOUNTING_B', 'Accounting B', secondEntity]]) {
    await t.test(`${title}: consent, company, active, chart of accounts`, async () => {
      await page.goto(`${sandbox.BASE_URL}/integrations?entity=${entity}`)
      await page.locator('.stack', { has: page.getByRole('heading', { level: 3, name: title }) }).getByRole('button', { name: 'Connect' }).first().click()
      await page.getByRole('heading', { level: 2, name: 'Choose the company' }).waitFor()
      await page.getByRole('radio').first().check({ force: true })
      await page.getByRole('button', { name: 'Activate' }).click()
      await page.getByRole('heading', { level: 2, name: 'Chart of accounts' }).waitFor()
      const rows = page.getByRole('table', { name: 'Chart of accounts' }).getByRole('row')
      await rows.nth(2).waitFor()
      const all = await rows.count()
      await page.getByText('Bank', { exact: true }).first().click()
      await page.waitForFunction((n) => document.querySelectorAll('[aria-label="Chart of accounts"] tr').length < n, all)
      await picture(page, `web-integration-${provider}`)
    })
  }

  await t.test('a document store: consent, site, library, folders, active', async () => {
    await page.goto(`${sandbox.BASE_URL}/integrations?entity=${secondEntity}`)
    await page.locator('.stack', { has: page.getByRole('heading', { level: 3, name: 'Document store A' }) }).getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('radiogroup', { name: 'Site' }).getByRole('radio').first().check({ force: true })
    await page.getByRole('radiogroup', { name: 'Document library' }).getByRole('radio').first().check({ force: true })
    await page.getByRole('button', { name: 'Activate' }).click()
    await page.getByText('Last look').waitFor()
    await picture(page, 'web-integration-DOCSTORE_A')
  })

  await t.test('a flawless invoice takes one key, and the next opens', async () => {
    await page.goto(`${sandbox.BASE_URL}/inbox?tab=ready&entity=${sandbox.ENTITY_ID}`)
    await page.getByRole('table', { name: 'Invoices' }).getByText('WEB-003').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Data of the invoice' }).waitFor()
    assert.equal(await page.evaluate(() => document.activeElement.tagName !== 'INPUT'), true, 'a flawless invoice opens without a focused field')
    const first = page.url()
    await settled(page)
    await page.keyboard.press('Control+Enter')
    await page.getByText(/^Approved WEB-/).waitFor()
    await page.waitForFunction((url) => location.href !== url && location.pathname.startsWith('/invoices/'), first)
  })

  await t.test('the approval can be undone for ten seconds', async () => {
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(/^Approved WEB-/).waitFor({ state: 'detached' })
    await page.goto(`${sandbox.BASE_URL}/inbox?entity=${sandbox.ENTITY_ID}`)
    await page.getByRole('link', { name: /^To check 3/ }).waitFor()
  })

  await t.test('a failed check is named, blocks Ctrl+Enter and bulk approval, and is accepted by its button', async () => {
    const row = page.getByRole('row', { name: /WEB-001/ })
    await row.getByText(/Tax differs by 0\.20/).waitFor()
    await row.getByRole('checkbox').check({ force: true })
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('1 invoice was left out').waitFor()
    await page.getByRole('button', { name: 'Clear the selection' }).click()
    await row.getByRole('link').click()
    await page.getByRole('button', { name: /^Approve despite: .*differs/ }).waitFor()
    const address = page.url()
    await page.keyboard.press('Control+Enter')
    await page.getByText('Failed checks are accepted only with the button').waitFor()
    assert.equal(page.url(), address)
    await page.getByRole('button', { name: /^Approve despite/ }).click()
    await page.getByText('Approved WEB-001').waitFor()
  })

  await t.test('a value is corrected by keyboard, and a version conflict keeps both values', async () => {
    const id = (await call('GET', `/api/invoices?entity_id=${sandbox.ENTITY_ID}&q=WEB-010`)).items[0].id
    await page.goto(`${sandbox.BASE_URL}/invoices/${id}`)
    const order = page.getByLabel('Purchase order')
    await order.fill('PO-77')
    await order.press('Enter')
    await page.getByText('Saved').first().waitFor()
    assert.equal((await call('GET', `/api/invoices/${id}`)).purchase_order, 'PO-77')
    await page.route('**/api/events*', (route) => route.abort())
    await order.fill('PO-mine')
    await call('PATCH', `/api/invoices/${id}`, { purchase_order: 'PO-theirs' })
    await order.press('Tab')
    await page.getByText('Somebody else has changed this value').waitFor()
    await page.getByRole('button', { name: 'Take theirs: PO-theirs' }).waitFor()
    await page.getByRole('button', { name: 'Keep mine: PO-mine' }).click()
    await page.getByText('Saved').first().waitFor()
    assert.equal((await call('GET', `/api/invoices/${id}`)).purchase_order, 'PO-mine')
    await page.unroute('**/api/events*')
  })

  await t.test('cells are pasted into the lines', async () => {
    await page.getByRole('button', { name: 'Show the lines' }).click()
    const cell = page.getByLabel('Description of line 1')
    await cell.focus()
    await page.evaluate(() => {
      const data = new DataTransfer()
      data.setData('text/plain', 'Pasted one\t2\nPasted two\t3\n')
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    })
    await page.waitForFunction(() => [...document.querySelectorAll('.lines input')].some((i) => i.value === 'Pasted two'))
  })

  await t.test('an invoice is coded, approved and synced to its ledger', async () => {
    await page.goto(`${sandbox.BASE_URL}/inbox?tab=ready&q=WEB-005&entity=${sandbox.ENTITY_ID}`)
    await page.getByRole('row', { name: /WEB-005/ }).getByRole('link').click()
    for (const name of ['Account of all lines', 'Ledger tax rate of all lines']) {
      await page.getByRole('combobox', { name }).click()
      await page.keyboard.press('ArrowDown') // opens the list, also if the focus came before the accounts
      const options = page.getByRole('option').filter({ hasText: name.startsWith('Account') ? 'Expense' : '' })
      await options.first().click()
      await page.getByRole('listbox').waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: /^Approve/ }).click()
    await page.getByText('Approved WEB-005').waitFor()
    const id = (await call('GET', `/api/invoices?entity_id=${sandbox.ENTITY_ID}&q=WEB-005`)).items[0].id
    await page.goto(`${sandbox.BASE_URL}/invoices/${id}`)
    await page.getByRole('button', { name: 'Sync to the ledger' }).click()
    await page.getByText(/In the ledger|Try the sync again/).first().waitFor()
    await picture(page, 'web-review-synced')
    await page.goto(`${sandbox.BASE_URL}/`)
    await page.getByRole('table', { name: 'Calls to providers' }).getByRole('row', { name: /^Accounting A/ }).waitFor()
  })

  await t.test('a duplicate names its reason, and a person decides that it is another invoice', async () => {
    const file = await invoiceFile('TWICE-31', { change: (text) => text + '\n' })
    const again = await invoiceFile('TWICE-31')
    const ids = []
    for (const { name, buffer } of [file, again]) {
      const document = await call('POST', '/api/documents/upload', { entity_id: sandbox.ENTITY_ID, filename: name, content: buffer.toString('base64') })
      ids.push((await call('POST', '/api/invoices/extract', { document_id: document.id })).id)
    }
    await page.goto(`${sandbox.BASE_URL}/invoices/${ids[1]}`)
    const list = page.getByRole('list', { name: 'May be the same invoice' })
    await list.getByText('The same supplier and number').waitFor()
    await picture(page, 'web-duplicate')
    await list.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('table', { name: 'Compare' }).getByRole('row', { name: /Invoice number TWICE-31 TWICE-31/ }).waitFor()
    await assertAccessible(page, 'comparison of duplicates')
    await picture(page, 'web-duplicate-compare')
    await page.keyboard.press('Escape')
    await list.getByRole('button', { name: 'These are two invoices' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('Two deliveries')
    await page.getByRole('dialog').getByRole('button', { name: 'These are two invoices' }).click()
    await list.waitFor({ state: 'detached' })
    const invoice = await call('GET', `/api/invoices/${ids[1]}`)
    assert.equal(invoice.duplicates[0].dismissed.reason, 'Two deliveries')
    assert.equal(invoice.checks.find((c) => c.rule === 'not_a_duplicate').passed, true)
  })

  await t.test('an invoice is rejected with a reason, by keyboard', async () => {
    const id = (await call('GET', `/api/invoices?entity_id=${sandbox.ENTITY_ID}&q=WEB-012`)).items[0].id
    await page.goto(`${sandbox.BASE_URL}/invoices/${id}`)
    await page.getByRole('button', { name: /^Reject/ }).waitFor() // the key works once the rights are known
    await page.keyboard.press('r')
    await page.getByRole('dialog').getByRole('textbox').waitFor()
    await page.keyboard.type('No one here ordered this')
    await page.keyboard.press('Enter')
    await page.getByText('Rejected WEB-012').waitFor()
    assert.equal((await call('GET', `/api/invoices/${id}`)).rejection.reason, 'No one here ordered this')
  })

  await t.test('an API key is created, shown once, and revoked', async () => {
    await page.goto(`${sandbox.BASE_URL}/api-keys`)
    await page.getByText('There is no API key').waitFor()
    await picture(page, 'web-keys-none')
    await page.getByRole('button', { name: 'Create an API key' }).first().click()
    await page.getByLabel('Name').fill('Importer')
    await page.keyboard.press('Enter')
    const secret = await page.getByLabel('API key', { exact: true }).inputValue()
    await picture(page, 'web-keys-secret')
    const use = () => fetch(`${sandbox.BASE_URL}/api/me`, { headers: { Authorization: `Bearer ${secret}` } })
    assert.equal((await (await use()).json()).credential.type, 'API_KEY')
    await page.getByRole('button', { name: 'Close' }).last().click()
    const row = page.getByRole('row', { name: /Importer/ })
    await row.waitFor()
    assert.ok(!(await page.content()).includes(secret), 'the secret is still on the page')
    await picture(page, 'web-keys')
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.getByText('Revoked').waitFor()
    assert.equal((await use()).status, 401)
  })

  await t.test('the filters are in the address', async () => {
    await page.goto(`${sandbox.BASE_URL}/inbox?tab=all`)
    await page.getByRole('row', { name: /WEB-002/ }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('WEB-01')
    await page.waitForURL(/q=WEB-01/)
    await page.getByRole('row', { name: /WEB-011/ }).waitFor()
    await page.reload()
    await page.getByRole('row', { name: /WEB-011/ }).waitFor()
    assert.equal(await page.getByRole('row', { name: /WEB-002/ }).count(), 0)
  })

  await t.test('the warnings of the plan are banners on every page, in full on the page of billing', async () => {
    const billing = await call('GET', '/api/billing')
    const alerts = ['TRIAL_EXPIRING', 'SUBSCRIPTION_INACTIVE', 'USAGE_NEAR_LIMIT', 'USAGE_LIMIT_REACHED', 'PAYMENT_FAILED']
    const trial = { active: true, days_left: 2, expiry_date: '2026-12-01' }
    await page.route('**/api/billing', (route) => route.fulfill({ json: { ...billing, trial, alerts: alerts.map((code) => ({ code, message: code, url: null })) } }))
    const texts = ['The trial ends in 2 days', 'No active subscription', 'The limit of the plan is near', 'The limit of the plan is reached', 'The last payment failed']
    for (const path of ['/inbox', '/billing']) {
      await page.goto(sandbox.BASE_URL + path)
      for (const text of texts) {
        await page.getByText(text, { exact: true }).waitFor()
      }
      await picture(page, `web-warnings${path.replace('/', '-')}`)
    }
    await page.unroute('**/api/billing')
  })

  const invoice = (await call('GET', `/api/invoices?entity_id=${sandbox.ENTITY_ID}&q=WEB-002`)).items[0]
  const integration = (await call('GET', '/api/integrations')).items.flatMap((p) => p.integrations)[0]
  const pages = {
    attention: '/', inbox: '/inbox?tab=all', review: `/invoices/${invoice.id}`, documents: '/documents', document: `/documents/${invoice.document_id}`,
    integrations: '/integrations', integration: `/integrations/${integration.id}`, billing: '/billing', entities: '/entities',
    entity: `/entities/${sandbox.ENTITY_ID}`, settings: `/settings/${sandbox.ENTITY_ID}`, members: '/members', keys: '/api-keys', sessions: '/account/sessions', password: '/account/password',
  }
  await checkPages(t, { newContext, sandbox, pages })

  assert.deepEqual(forbidden, [])
})
