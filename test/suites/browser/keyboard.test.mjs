// Everything from the first start to the bills in both ledgers, with the keyboard alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { views } from './pages.mjs'
import { assertAccessible, caller, contexts, invoiceFile, wrongTax } from './web.mjs'
import { picture, startBrowser, startSandbox } from './world.mjs'

const admin = { email: 'ada@example.com', password: 'a long password' }
const ibans = { first: 'DE02120300000000202051', second: 'DE02500105170137075030' }
const most = 120

/** Presses Tab until the element has the focus. */
async function tabTo(page, locator) {
  const target = locator.first()
  await target.waitFor({ state: 'attached' })
  for (let presses = 0; presses < most; presses++) {
    // An open list hides everything else. Tab closes it.
    if (await target.count() > 0 && await target.evaluate((element) => element === document.activeElement)) {
      return
    }
    await page.keyboard.press('Tab')
  }
  assert.fail(`${locator} is not reached with ${most} presses of Tab`)
}

async function press(page, role, name, within = page) {
  await tabTo(page, within.getByRole(role, { name, exact: typeof name === 'string' }))
  await page.keyboard.press('Enter')
}

/** Types into a field that is found by its label. */
async function type(page, label, text, within = page) {
  await tabTo(page, within.getByLabel(label, { exact: true }))
  await page.keyboard.type(text)
}

/** Chooses an option of a combo box or a select by typing its text. */
async function choose(page, name, text, within = page) {
  const box = within.getByRole('combobox', { name })
  await tabTo(page, box)
  const option = page.getByRole('option').filter({ hasText: text }).first()
  for (let tries = 0; tries < 3 && !(await option.isVisible()); tries++) {
    await page.keyboard.press('Alt+ArrowDown')
    await option.waitFor({ timeout: 3_000 }).catch(() => undefined)
  }
  const chosen = await option.getAttribute('id')
  for (let presses = 0; presses < most && (await box.getAttribute('aria-activedescendant')) !== chosen; presses++) {
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
  await page.getByRole('listbox').waitFor({ state: 'detached' })
}

test('the web application with the keyboard alone', async (t) => {
  const sandbox = await startSandbox(t, '--empty', '--env', 'deployed', '--auto-approve')
  const browser = await startBrowser(t)
  const forbidden = []
  const newContext = contexts(browser, forbidden)
  const page = await (await newContext()).newPage()
  // A click of the pointer would be a mistake in this test.
  await page.addInitScript(() => addEventListener('pointerdown', (event) => event.isTrusted && event.pointerType === 'mouse' && event.detail > 0 && document.body.setAttribute('data-clicked', ''), true))
  let call

  // Each step continues where the one before ended.
  let failed
  const step = (name, run) => t.test(name, async () => {
    assert.equal(failed, undefined, 'an earlier step failed')
    try {
      await run()
    } catch (error) {
      failed = name
      await picture(page, 'web-keyboard-failed')
      throw error
    }
  })
  const go = (name) => press(page, 'link', name, page.getByRole('navigation', { name: 'Main navigation' }))
  const upload = async (files, entity) => {
    const chooser = page.waitForEvent('filechooser')
    await press(page, 'button', 'Upload')
    await (await chooser).setFiles(files) // the dialog of the operating system
    const question = page.getByRole('dialog')
    await choose(page, 'Entity', entity, question)
    await press(page, 'button', 'Upload', question)
    await page.getByText(`${files.length} file${files.length === 1 ? '' : 's'} uploaded`).waitFor()
    await press(page, 'button', 'Close', page.getByRole('region', { name: 'Uploads' }))
  }
  const find = async (text) => {
    await go('Inbox')
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
    await press(page, 'link', /^All/)
    await page.keyboard.press('/')
    await page.keyboard.press('Control+a')
    await page.keyboard.type(text)
    await page.getByRole('row', { name: new RegExp(text) }).first().waitFor()
    await page.waitForURL((url) => url.search.includes(text))
    await page.keyboard.press('Tab') // Escape would empty the field
  }
  const open = async (number) => {
    await find(number)
    await tabTo(page, page.getByRole('link', { name: new RegExp(`, ${number}$`) }))
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Data of the invoice' }).waitFor()
  }

  await step('the page of the first start is accessible and fits, and its texts are in the catalogue', async () => {
    for (const [view, options] of Object.entries(views)) {
      const viewed = await (await newContext(options)).newPage()
      await viewed.goto(`${sandbox.BASE_URL}/setup`)
      await viewed.getByLabel('Setup code').waitFor()
      assert.ok(await viewed.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), `${view}: too wide`)
      await assertAccessible(viewed, `setup, ${view}`)
      await picture(viewed, `web-${view}-setup`)
      await viewed.context().close()
    }
    const pseudo = await (await newContext()).newPage()
    await pseudo.addInitScript(() => sessionStorage.setItem('docledger.pseudo', 'on'))
    await pseudo.goto(`${sandbox.BASE_URL}/setup`)
    await pseudo.locator('input[type=password]').waitFor()
    assert.doesNotMatch(await pseudo.innerText('main'), /[a-z]{3}/, 'a text is outside the catalogue')
    await pseudo.context().close()
  })

  await step('the first start leads to the page that creates the administrator', async () => {
    await page.goto(sandbox.BASE_URL)
    await page.getByRole('heading', { level: 1, name: 'Set up docledger' }).waitFor()
    await assertAccessible(page, 'setup')
    await picture(page, 'web-setup')
    await page.keyboard.type('0000-0000')
    for (const text of ['Example Ltd', 'Ada Example', admin.email, admin.password]) {
      await page.keyboard.press('Tab')
      await page.keyboard.type(text)
    }
    await page.keyboard.press('Enter')
    await page.getByText('The setup code is wrong').waitFor()
    await picture(page, 'web-setup-wrong')
    await tabTo(page, page.getByLabel('Setup code'))
    await page.keyboard.press('Control+a')
    await page.keyboard.type(sandbox.SETUP_CODE.toLowerCase())
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Attention' }).waitFor()
    await page.getByText('Example Ltd').first().waitFor()
  })

  await step('a file cannot be received without an entity, and the page says where to add one', async () => {
    await page.getByText('There is no active entity').waitFor()
    const chooser = page.waitForEvent('filechooser')
    await press(page, 'button', 'Upload')
    await (await chooser).setFiles([await invoiceFile('EARLY-1')])
    await picture(page, 'web-no-entity')
    await press(page, 'link', 'Open entities', page.getByRole('dialog'))
    await page.getByRole('heading', { level: 1, name: 'Entities' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('There is no active entity').waitFor()
    for (const [name, title] of [['Settings', 'Settings'], ['Inbox', 'Inbox']]) {
      await go(name)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await page.getByRole('link', { name: 'Open entities' }).waitFor()
    }
    await go('Integrations')
    await press(page, 'button', 'Connect', page.locator('.stack', { has: page.getByRole('heading', { level: 3, name: 'Accounting A' }) }))
    await press(page, 'link', 'Open entities', page.getByRole('dialog'))
    await page.getByRole('heading', { level: 1, name: 'Entities' }).waitFor()
    await go('Attention')
  })

  await step('sign out and sign in', async () => {
    await press(page, 'button', /Ada Example/)
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Sign in to docledger' }).waitFor()
    await page.keyboard.type(admin.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(admin.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Attention' }).waitFor()
    const { token } = await page.evaluate(() => JSON.parse(sessionStorage.getItem('docledger.session')))
    call = caller(sandbox, token)
    await page.goto(`${sandbox.BASE_URL}/setup`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.notEqual(new URL(page.url()).pathname, '/setup', 'the page of the first start is still there')
    await page.goto(sandbox.BASE_URL)
  })

  await step('two entities are added', async () => {
    for (const name of ['First Company', 'Second Company']) {
      await go('Entities')
      await page.getByRole('heading', { level: 1, name: 'Entities' }).waitFor()
      await press(page, 'button', 'Add an entity')
      await page.getByRole('dialog').waitFor()
      await page.keyboard.type(name)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name }).waitFor()
    }
  })

  for (const [provider, entity] of [['Accounting A', 'First Company'], ['Accounting B', 'Second Company']]) {
    await step(`${provider} is connected`, async () => {
      await go('Integrations')
      await press(page, 'button', 'Connect', page.locator('.stack', { has: page.getByRole('heading', { level: 3, name: provider }) }))
      const question = page.getByRole('dialog')
      await choose(page, 'Entity', entity, question)
      await press(page, 'button', 'Go to the provider', question)
      await page.getByRole('heading', { level: 2, name: 'Choose the company' }).waitFor()
      await tabTo(page, page.getByRole('radio'))
      await page.keyboard.press('Space')
      await press(page, 'button', 'Activate')
      await page.getByRole('heading', { level: 2, name: 'Chart of accounts' }).waitFor()
    })
  }

  await step('a document store is connected, and a folder is chosen from the tree', async () => {
    for (const path of ['Invoices/2025', 'Invoices/2026/Old', 'Archive']) {
      const made = await fetch(`${sandbox.MSGRAPH_URL}/_sim/folders`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ path }) })
      assert.ok(made.ok, await made.text())
    }
    await go('Integrations')
    await press(page, 'button', 'Connect', page.locator('.stack', { has: page.getByRole('heading', { level: 3, name: 'Document store A' }) }))
    const question = page.getByRole('dialog')
    await choose(page, 'Entity', 'Second Company', question)
    await press(page, 'button', 'Go to the provider', question)
    for (const name of ['Site', 'Document library']) {
      await tabTo(page, page.getByRole('radiogroup', { name }).getByRole('radio'))
      await page.keyboard.press('Space')
    }
    const tree = page.getByRole('treegrid', { name: 'Folders in it' })
    await tree.getByRole('row').first().waitFor()
    await tabTo(page, tree.getByRole('row').first())
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await tree.getByRole('row', { name: '2025' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await tree.getByRole('row', { name: 'Old' }).waitFor()
    await page.keyboard.press('Space')
    await assertAccessible(page, 'folders')
    await picture(page, 'web-folders')
    await press(page, 'button', 'Activate')
    await page.getByText('Last look').waitFor()
    await page.getByText('Invoices/2026', { exact: true }).waitFor()
  })

  await step('20 documents are uploaded', async () => {
    await go('Inbox')
    const files = []
    for (let i = 1; i <= 20; i++) {
      files.push(await invoiceFile(`KEY-${String(i).padStart(3, '0')}`, { change: i === 20 ? wrongTax : undefined }))
    }
    await upload(files, 'First Company')
    await page.getByRole('link', { name: /^Ready 19/ }).waitFor()
    await upload([await invoiceFile('OTHER-1')], 'Second Company')
  })

  for (const [number, ledger] of [['KEY-001', 'Accounting A'], ['OTHER-1', 'Accounting B']]) {
    await step(`${ledger}: an invoice is coded, approved and synced`, async () => {
      await open(number)
      await choose(page, 'Account of all lines', 'Expense')
      await page.getByText('Saved').first().waitFor({ timeout: 3_000 }).catch(() => undefined)
      await choose(page, 'Ledger tax rate of all lines', /./)
      const id = new URL(page.url()).pathname.split('/').at(-1)
      await page.waitForFunction((path) => location.pathname === path, `/invoices/${id}`)
      await page.keyboard.press('Control+Enter')
      await page.getByText(`Approved ${number}`).waitFor()
      await open(number)
      await press(page, 'button', 'Sync to the ledger')
      await page.getByText('In the ledger').first().waitFor()
      assert.equal((await call('GET', `/api/invoices/${id}`)).status, 'SYNCED')
      await picture(page, `web-keyboard-synced-${number}`)
    })
  }

  await step('a flawless invoice needs at most four keystrokes until the next is open', async () => {
    await find('KEY-00')
    await press(page, 'link', /^Ready/)
    await page.waitForURL((url) => url.search.includes('tab=ready') && url.search.includes('KEY-00'))
    await page.getByRole('row', { name: /KEY-001/ }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /KEY-002/ }).waitFor()
    await page.keyboard.press('j')
    let keystrokes = 0
    const stroke = (key) => { keystrokes++; return page.keyboard.press(key) }
    await stroke('Enter')
    await page.getByRole('region', { name: 'Data of the invoice' }).waitFor()
    const first = page.url()
    await page.getByRole('button', { name: /^Approve/ }).waitFor()
    await stroke('Control+Enter')
    await page.waitForFunction((url) => location.href !== url && location.pathname.startsWith('/invoices/'), first)
    assert.ok(keystrokes <= 4, `${keystrokes} keystrokes`)
    await page.getByText(/^Approved KEY-/).waitFor()
  })

  await step('the next invoice opens when the list arrives after the approval', async () => {
    const { items: [invoice] } = await call('GET', '/api/invoices?status=EXTRACTED&q=KEY-00&limit=1')
    let send
    const sent = new Promise((resolve) => { send = resolve })
    const isList = (url) => url.pathname === '/api/invoices'
    await page.route(isList, async (route) => {
      await sent
      await route.continue()
    })
    await page.goto(`${sandbox.BASE_URL}/invoices/${invoice.id}?tab=ready`)
    await page.getByRole('button', { name: /^Approve/ }).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText(`Approved ${invoice.invoice_number}`).waitFor()
    send()
    await page.waitForURL((url) => url.pathname.startsWith('/invoices/') && !url.pathname.endsWith(invoice.id))
    await page.unroute(isList)
  })

  await step('a failed check is accepted by its button alone', async () => {
    await open('KEY-020')
    await page.getByRole('button', { name: /^Approve despite: .*differs/ }).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText('Failed checks are accepted only with the button').waitFor()
    await press(page, 'button', /^Approve despite/)
    await page.getByText('Approved KEY-020').waitFor()
  })

  await step('a duplicate is compared and dismissed', async () => {
    await go('Inbox')
    await upload([await invoiceFile('KEY-019', { change: (text) => text + '\n' })], 'First Company')
    await go('Attention')
    await press(page, 'link', 'Compare')
    const list = page.getByRole('list', { name: 'May be the same invoice' })
    await press(page, 'button', 'Compare', list)
    await page.getByRole('table', { name: 'Compare' }).waitFor()
    await page.keyboard.press('Escape')
    await press(page, 'button', 'These are two invoices', list)
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('Two deliveries')
    await page.keyboard.press('Enter')
    await list.waitFor({ state: 'detached' })
  })

  await step('a changed bank account is confirmed with the way of checking', async () => {
    await go('Inbox')
    const of = (number, iban) => invoiceFile(number, { supplier: 'Northern Paper Works', iban })
    await upload([await of('BANK-1', ibans.first)], 'First Company')
    await open('BANK-1')
    await press(page, 'button', /^Approve/)
    await page.getByText('Approved BANK-1').waitFor()
    await go('Inbox')
    await upload([await of('BANK-2', ibans.second)], 'First Company')
    await open('BANK-2')
    const check = page.locator('.check-row', { hasText: 'Bank account is new' })
    await press(page, 'button', 'Confirm the account', check)
    const dialog = page.getByRole('dialog')
    await tabTo(page, dialog.getByRole('radio'))
    await page.keyboard.press('Space')
    await press(page, 'button', 'Confirm the account', dialog)
    await check.waitFor({ state: 'detached' })
  })

  await step('a supplier gets another name', async () => {
    await go('Suppliers')
    await press(page, 'link', 'Blue Harbour Supplies Ltd')
    await page.getByRole('heading', { level: 1, name: 'Blue Harbour Supplies Ltd' }).waitFor()
    await type(page, 'Other names', 'NPW')
    await press(page, 'button', 'Save')
    await page.getByText('Saved', { exact: true }).first().waitFor()
  })

  await step('each warning of the plan leads to the page of billing', async () => {
    const billing = await call('GET', '/api/billing')
    const warnings = { TRIAL_EXPIRING: 'The trial ends in 2 days', SUBSCRIPTION_INACTIVE: 'No active subscription', USAGE_NEAR_LIMIT: 'The limit of the plan is near' }
    for (const [code, text] of Object.entries(warnings)) {
      await page.route('**/api/billing', (route) => route.fulfill({
        json: { ...billing, trial: { active: true, days_left: 2, expiry_date: '2026-12-01' }, alerts: [{ code, message: code, url: null }] },
      }))
      await page.goto(`${sandbox.BASE_URL}/inbox`)
      await page.getByText(text, { exact: true }).waitFor()
      await press(page, 'link', 'Open billing')
      await page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor()
      await page.getByText(text, { exact: true }).first().waitFor()
      await page.unroute('**/api/billing')
    }
  })

  await step('a document is deleted after its consequences were read, and not under legal hold', async () => {
    await go('Entities')
    await press(page, 'link', 'First Company', page.getByRole('table', { name: 'Entities' }))
    await tabTo(page, page.getByRole('switch', { name: /Legal hold/ }))
    await page.keyboard.press('Space')
    await page.getByRole('switch', { name: /Legal hold/, checked: true }).waitFor()
    await open('KEY-018')
    await press(page, 'button', 'More actions')
    await page.getByRole('menuitem', { name: 'Delete …' }).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('The entity is under legal hold').waitFor()
    await page.keyboard.press('Escape')
    await go('Entities')
    await press(page, 'link', 'First Company', page.getByRole('table', { name: 'Entities' }))
    await tabTo(page, page.getByRole('switch', { name: /Legal hold/ }))
    await page.keyboard.press('Space')
    await press(page, 'button', 'End the hold', page.getByRole('dialog'))
    await page.getByRole('switch', { name: /Legal hold/, checked: false }).waitFor()
    await open('KEY-018')
    await press(page, 'button', 'More actions')
    await page.getByRole('menuitem', { name: 'Delete …' }).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This cannot be undone').waitFor()
    await assertAccessible(page, 'deletion')
    await picture(page, 'web-delete-document')
    await page.keyboard.type('Sent by mistake')
    await page.keyboard.press('Enter')
    await page.getByText('Deleted KEY-018.xml').waitFor()
    assert.equal((await call('GET', '/api/invoices?q=KEY-018')).items.length, 0)
  })

  assert.equal(await page.getAttribute('body', 'data-clicked'), null, 'the pointer was used')
  assert.deepEqual(forbidden, [])
})
