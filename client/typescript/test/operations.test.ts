import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { Docledger, verifyWebhook } from '../../../gen/typescript/src/index.js'
import { answered, countingFetch, operationIds } from './counting.js'
import { start } from './sandbox.js'
import { invoiceFile, invoiceWithAttachment, printedFile, sandbox, signIn } from './world.js'

let api: Docledger
const entity_id = sandbox.ENTITY_ID!

beforeAll(async () => {
  api = await signIn({ fetch: countingFetch })
})

describe('account', () => {
  test('sign in, refresh the token, get the caller', async () => {
    const renewed = await api.refreshToken()
    expect(renewed.data.token).not.toBe('')
    const me = await api.getMe()
    expect(me.data.user.email).toBe(sandbox.LOGIN_EMAIL)
    expect(me.requestId).toBe(me.headers.get('X-Request-Id'))
    expect((await api.whereTo({ query: { action: 'choose_plan' } })).data.url).toMatch(/\/billing$/)
    const link = (await api.createUploadLink({ body: { entity_id, max_files: 2 } })).data
    const sent = await fetch(link.url, { method: 'PUT', body: '<Invoice/>' })
    expect(((await sent.json()) as { items: unknown[] }).items).toHaveLength(1)
    expect((await api.getProcessingReport({ query: { days: 7 } })).data.decided).toBeTypeOf('number')
    expect(Array.isArray((await api.listAttention({ query: { entity_id } })).data.items)).toBe(true)
    const members = await api.listMembers().toArray()
    expect(members.map((m) => m.email)).toContain(sandbox.LOGIN_EMAIL)
  })

  test('create, use, list and revoke an API key', async () => {
    const { data: key } = await api.createApiKey({ body: { name: 'Import', role: 'VIEWER', entity_ids: [entity_id] } })
    expect(key.secret).toMatch(/^dlk_test_/)
    const program = new Docledger({ baseUrl: sandbox.BASE_URL!, token: key.secret, fetch: countingFetch })
    expect((await program.getMe()).data.credential).toMatchObject({ type: 'API_KEY', role: 'VIEWER', entity_ids: [entity_id] })
    expect(await api.listApiKeys().toArray()).toContainEqual(expect.objectContaining({ id: key.id, hint: key.secret.slice(-4) }))
    const revoked = await api.revokeApiKey({ path: { api_key_id: key.id } })
    expect(revoked.data.revoked_at).not.toBeNull()
    await expect(program.getMe()).rejects.toMatchObject({ status: 401 })
  })

  test('create a webhook, verify its requests, change and delete it', async () => {
    const requests: { headers: IncomingHttpHeaders; body: string }[] = []
    const receiver = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      request.on('end', () => {
        // Other tests change invoices of the same organization at the same time.
        if (body.includes('"webhook.test"')) {
          requests.push({ headers: request.headers, body })
        }
        response.writeHead(204).end()
      })
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const { data: made } = await api.createWebhook({ body: { url, types: ['invoice.*'] } })
    const path = { webhook_id: made.webhook.id }
    const { data: sent } = await api.testWebhook({ path })
    await vi.waitFor(() => expect(requests).toHaveLength(1), { timeout: 20_000 })
    const { headers, body } = requests[0]!
    expect(await verifyWebhook(body, headers, made.secret)).toEqual(sent.event)
    const { data: rotated } = await api.rotateWebhookSecret({ path })
    await expect(verifyWebhook(body, headers, rotated.secret)).rejects.toThrow('No signature')
    await expect(verifyWebhook(body.replace('webhook.test', 'webhook.rest'), headers, made.secret)).rejects.toThrow('No signature')
    await expect(verifyWebhook(body, headers, made.secret, Date.now() + 400_000)).rejects.toThrow('timestamp')
    await api.retryWebhookDelivery({ path: { ...path, delivery_id: sent.id } })
    await vi.waitFor(() => expect(requests).toHaveLength(2), { timeout: 20_000 })
    expect(await verifyWebhook(requests[1]!.body, requests[1]!.headers, [made.secret, rotated.secret])).toEqual(sent.event)
    expect(await api.listWebhookDeliveries({ path }).toArray()).toContainEqual(expect.objectContaining({ id: sent.id, webhook_id: made.webhook.id }))
    expect((await api.updateWebhook({ path, body: { enabled: false } })).data).toMatchObject({ id: made.webhook.id, enabled: false })
    expect((await api.getWebhook({ path })).data.types).toEqual(['invoice.*'])
    expect(await api.listWebhooks().toArray()).toContainEqual(expect.objectContaining({ id: made.webhook.id }))
    expect((await api.deleteWebhook({ path })).data.id).toBe(made.webhook.id)
    receiver.close()
  })

  test('list sessions, end one, sign out, change the password', async () => {
    const other = await signIn({ fetch: countingFetch })
    const sessions = await api.listSessions().toArray()
    const mine = sessions.filter((s) => s.current)
    expect(mine).toHaveLength(1)
    const [lost] = await other.listSessions({ query: { limit: 1 } }).toArray()
    const ended = await api.endSession({ path: { session_id: lost!.id } })
    expect(ended.data).toMatchObject({ id: lost!.id, current: false })
    const wrong = { current_password: 'not the right password', new_password: 'another long password' }
    await expect(api.changePassword({ body: wrong })).rejects.toMatchObject({ status: 400 })
    // The identity provider keeps the administrator's password, the installation this account's.
    const baseUrl = sandbox.BASE_URL!
    let password = sandbox.LOGIN_PASSWORD!
    const local = await new Docledger({ baseUrl }).login({ body: { email: sandbox.LOCAL_EMAIL!, password } })
    let { token } = local.data
    for (const next of ['another long password', sandbox.LOGIN_PASSWORD!]) {
      const person = new Docledger({ baseUrl, token, fetch: countingFetch })
      token = (await person.changePassword({ body: { current_password: password, new_password: next } })).data.token
      password = next
    }
    const visitor = new Docledger({ baseUrl, fetch: countingFetch })
    expect((await visitor.getSetup()).data).toEqual({ open: false, code_required: false })
    const second = { organization_name: 'Mine', name: 'Eve', email: 'eve@example.com', password: 'another long password' }
    await expect(visitor.setUp({ body: second })).rejects.toMatchObject({ status: 401, code: 'invalid_credentials' })
    const third = await signIn({ fetch: countingFetch })
    expect((await third.logout()).data.current).toBe(true)
  })
})

test('create the first administrator of an installation', async () => {
  const [own, stop] = await start('--empty')
  try {
    const first = new Docledger({ baseUrl: own.BASE_URL!, fetch: countingFetch })
    const body = { code: own.SETUP_CODE!, organization_name: 'Mine', name: 'Eve', email: 'eve@example.com', password: 'another long password' }
    const made = await first.setUp({ body })
    const eve = new Docledger({ baseUrl: own.BASE_URL!, token: made.data.token })
    expect((await eve.getMe()).data.user.email).toBe(body.email)
    await expect(first.setUp({ body })).rejects.toMatchObject({ status: 401, code: 'invalid_credentials' })
  } finally {
    await stop()
  }
})

describe('entities and settings', () => {
  test('create, get, update, list', async () => {
    const made = await api.createEntity({ body: { name: 'Made by the client' } })
    const path = { entity_id: made.data.id }
    expect((await api.getEntity({ path })).data.name).toBe('Made by the client')
    const changed = await api.updateEntity({ path, body: { name: 'Renamed' }, headers: { 'If-Match': made.etag! } })
    expect(changed.data.version).toBe(made.data.version + 1)
    expect(await api.listEntities().toArray()).toContainEqual(expect.objectContaining({ id: made.data.id, name: 'Renamed' }))

    const settings = await api.getSettings({ path })
    expect(settings.data.approval_required).toBe(true)
    const put = await api.updateSettings({ path, body: { default_currency: 'EUR' } })
    expect(put.data.default_currency).toBe('EUR')
    const rules = await api.updateEmailIntake({ path, body: { accept_sender: 'billing@supplier.example' } })
    expect(rules.data.senders).toEqual(['billing@supplier.example'])
    expect((await api.getEmailIntake({ path })).data).toEqual(rules.data)
  })
})

describe('documents and invoices', () => {
  test('embedded files and parts', async () => {
    const { data: electronic } = await api.uploadDocument({ body: { entity_id, file: invoiceWithAttachment('client-attached') } })
    await api.extractInvoice({ body: { document_id: electronic.id } })
    const attached = await api.getDocumentAttachment({ path: { document_id: electronic.id, attachment: 1 } })
    expect(await attached.data.text()).toBe('hello')

    const { data: printed } = await api.uploadDocument({ body: { entity_id, file: printedFile(['A-17', 'A-17', 'A-17']) } })
    await api.extractInvoice({ body: { document_id: printed.id } }).catch(() => undefined)
    const path = { document_id: printed.id }
    const split = await api.splitDocument({ path, body: { parts: [{ from: 1, to: 2 }, { from: 3, to: 3 }] } })
    expect(split.data.status).toBe('SPLIT')

    const upload = async (number: string) => (await api.uploadDocument({ body: { entity_id, file: printedFile([number]) } })).data.id
    const originals = [await upload('M-1'), await upload('M-2')]
    for (const document_id of originals) {
      await api.extractInvoice({ body: { document_id } }).catch(() => undefined)
    }
    const merged = await api.mergeDocuments({ body: { parts: originals.map((document_id) => ({ document_id, pages: [{ number: 1, rotate: 0 }] })) } })
    expect(merged.data).toMatchObject({ merged_from: originals, page_count: 2 })
  })

  test('change and deletion', async () => {
    const { data: made } = await api.uploadDocument({ body: { entity_id, file: invoiceFile('client-deleted') } })
    const path = { document_id: made.id }
    expect((await api.updateDocument({ path, body: { external_id: 'order-1234' } })).data.external_id).toBe('order-1234')
    const listed = await api.listDocuments({ query: { external_id: ['order-1234'], source: ['UPLOAD'], created_by: 'me', sort: '-updated_at' } }).toArray()
    expect(listed.map((d) => d.id)).toEqual([made.id])
    expect((await api.deleteDocument({ path, query: { reason: 'Uploaded by mistake' } })).data.id).toBe(made.id)
    await expect(api.getDocument({ path })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a move to another entity', async () => {
    const { data: second } = await api.createEntity({ body: { name: 'Client move' } })
    const { data: made } = await api.uploadDocument({ body: { entity_id, file: invoiceFile('client-moved') } })
    const path = { document_id: made.id }
    expect((await api.moveDocument({ path, body: { entity_id: second.id } })).data.entity_id).toBe(second.id)
  })

  test('suppliers', async () => {
    const approve = async (number: string, seller: string, iban: string) => {
      const text = (await invoiceFile(number).text()).replaceAll('DE136695976', '').replaceAll('Lindner Bürobedarf', seller).replaceAll('DE89370400440532013000', iban)
      const { data: document } = await api.uploadDocument({ body: { entity_id, file: new File([text], `${number}.xml`) } })
      const { data: invoice } = await api.extractInvoice({ body: { document_id: document.id } })
      const path = { invoice_id: invoice.id }
      await api.approveInvoice({ path, body: { version: invoice.version, acknowledge_checks: invoice.checks.filter((c) => !c.passed && c.severity === 'BLOCKING').map((c) => c.rule) } })
      return (await api.getInvoice({ path })).data.supplier_id!
    }
    const supplier_id = await approve('client-supplier-1', 'Client Paper', 'DE02120300000000202051')
    const path = { supplier_id }
    const { data: supplier, etag } = await api.getSupplier({ path })
    expect(supplier.ibans[0]).toMatchObject({ iban: 'DE02120300000000202051', known: true, confirmed: null })
    const changed = await api.updateSupplier({ path, body: { aliases: ['Client Paper Ltd'] }, headers: { 'If-Match': etag! } })
    expect(changed.data.aliases).toEqual(['Client Paper Ltd'])
    const confirmed = await api.confirmBankAccount({ path, body: { iban: 'DE02120300000000202051', method: 'phone' } })
    expect(confirmed.data.ibans[0]!.confirmed?.method).toBe('phone')
    expect(await api.listSuppliers({ query: { entity_id, q: 'client paper' } }).toArray()).toContainEqual(expect.objectContaining({ id: supplier_id }))
    const other = await approve('client-supplier-2', 'Workshop North', 'GB82WEST12345698765432')
    const merged = await api.mergeSupplier({ path: { supplier_id: other }, body: { into: supplier_id } })
    expect(merged.data.id).toBe(supplier_id)
    expect((await api.mergeSupplier({ path, body: { into: supplier_id } }).catch((e: unknown) => e))).toMatchObject({ status: 400 })
  })

  test('from upload to approval and rejection', async () => {
    const file = invoiceFile('client-1')
    const { data: document } = await api.uploadDocument({ body: { entity_id, file } })
    expect(document.filename).toBe('client-1.xml')
    const { data: invoice } = await api.extractInvoice({ body: { document_id: document.id } })
    expect(invoice.invoice_number).toBe('client-1')
    const path = { document_id: document.id }
    expect((await api.getDocument({ path })).data.invoice_id).toBe(invoice.id)
    expect(await (await api.getDocumentContent({ path })).data.text()).toBe(await file.text())
    const page = { ...path, page: 1 }
    expect((await api.getDocumentPage({ path: page, query: { width: 200 } })).data.type).toBe('image/png')
    expect((await api.getDocumentPageWords({ path: page })).data.words.map((w) => w.text)).toContain('client-1')
    expect((await api.getDocumentReadable({ path, query: { format: 'pdf' } })).data.type).toBe('application/pdf')
    expect(await api.listDocuments({ query: { entity_id } }).toArray()).toContainEqual(expect.objectContaining({ id: document.id }))

    const invoicePath = { invoice_id: invoice.id }
    const lines = await api.listInvoiceLines({ path: invoicePath, query: { limit: 1 } }).toArray()
    expect(lines).toHaveLength(invoice.lines_total)
    const noted = await api.updateInvoice({ path: invoicePath, body: { note: 'Seen' } })
    expect(noted.data.note).toBe('Seen')
    const approved = await api.approveInvoice({ path: invoicePath, body: { version: noted.data.version } })
    expect(approved.data.status).toBe('APPROVED')
    const reopened = await api.reopenInvoice({ path: invoicePath })
    expect((await api.assignInvoice({ path: invoicePath, body: { user_id: null } })).data.assigned_to).toBeNull()
    expect((await api.addInvoiceNote({ path: invoicePath, body: { text: 'ask Ana' } })).data.data).toEqual({ text: 'ask Ana' })
    expect(reopened.data.status).toBe('NEEDS_REVIEW')
    const bulk = await api.changeInvoices({ body: { action: 'reject', reason: 'Not ours', items: [{ id: invoicePath.invoice_id, version: 1 }] } })
    expect(bulk.data.items[0]).toMatchObject({ ok: false, error: { code: 'version_conflict' } })
    await expect(
      api.dismissDuplicate({ path: invoicePath, body: { invoice_id: invoice.id, reason: 'Another delivery' } }),
    ).rejects.toMatchObject({ code: 'not_found' })
    const again = new File([await file.text(), '<!-- sent again -->'], 'client-1-again.xml')
    const { data: second } = await api.uploadDocument({ body: { entity_id, file: again } })
    const { data: duplicate } = await api.extractInvoice({ body: { document_id: second.id } })
    expect(duplicate.duplicates.map((d) => d.invoice_id)).toContain(invoice.id)
    const dismissed = await api.dismissDuplicate({ path: { invoice_id: duplicate.id }, body: { invoice_id: invoice.id, reason: 'Another delivery' } })
    expect(dismissed.data.duplicates.find((d) => d.invoice_id === invoice.id)?.dismissed?.reason).toBe('Another delivery')
    const rejected = await api.rejectInvoice({ path: invoicePath, body: { reason: 'Not ours' } })
    expect(rejected.data.status).toBe('REJECTED')

    expect((await api.getInvoice({ path: invoicePath })).etag).toBe(`"${rejected.data.version}"`)
    const found = await api.listInvoices({ query: { entity_id, status: ['REJECTED', 'APPROVED'] } }).toArray()
    const sums = (await api.sumInvoices({ query: { group_by: ['status'], entity_id } })).data.items
    expect(sums.map((sum) => sum.status)).not.toContain('REJECTED')
    const download = (await api.createExportLink({ query: { entity_id, format: 'jsonl' } })).data
    expect((await fetch(download.url)).headers.get('Content-Type')).toContain('json')
    const exported = await api.exportInvoices({ query: { entity_id, format: 'csv', rows: 'lines' } })
    expect(await (exported.data as unknown as Blob).text()).toContain('invoice_id,')
    expect(found.map((i) => i.id)).toContain(invoice.id)
    const history = await api.getInvoiceHistory({ path: invoicePath, query: { limit: 2 } }).toArray()
    const validation = await api.getInvoiceValidation({ path: invoicePath })
    expect(validation.data).toMatchObject({ invoice_id: invoice.id, outcome: expect.any(String), findings: expect.any(Array) })
    const events = await api.listEvents({ query: { entity_id, limit: 2 } }).toArray()
    for (const seen of [history, events]) {
      expect(seen.map((e) => e.type)).toEqual(expect.arrayContaining(['document.received', 'invoice.approved', 'invoice.rejected']))
    }
  })
})

describe('billing', () => {
  test('plan, usage, plans for sale and checkout pages', async () => {
    expect((await api.getBilling()).data.organization_id).toBe(sandbox.ORGANIZATION_ID)
    const usage = await api.getBillingUsage()
    expect(usage.data).toMatchObject({ total: expect.any(Number) })
    const csv = await api.getBillingUsage({ query: { format: 'csv' } })
    expect(csv.data).toMatch(/^month,entity_id,invoices/)
    const [plan] = await api.listPlans().toArray()
    const back = sandbox.BASE_URL + '/docs'
    const checkout = await api.createCheckoutSession({ body: { price_id: plan!.price_id, success_url: back, cancel_url: back } })
    expect(checkout.data.url).toContain(sandbox.STRIPE_URL)
    const portal = await api.createPortalSession({ body: { return_url: back } })
    expect(portal.data.url).toContain(sandbox.STRIPE_URL)
  })
})

describe('integrations', () => {
  let integrationId = ''

  /** Simulates a user and their browser on a consent page. */
  async function consent(authorizationUrl: string): Promise<string> {
    const page = await fetch(authorizationUrl, { redirect: 'manual' })
    const callback = new URL(page.headers.get('Location')!)
    const { state = '', code } = Object.fromEntries(callback.searchParams)
    const answer = await api.finishAuthorization({ query: { state, code } })
    expect(answer).toMatchObject({ status: 302, data: undefined })
    return answer.headers.get('Location')!
  }

  /** Comes back as the confirmation page does; on this machine no value is needed. */
  async function confirm(authorizationUrl: string): Promise<string> {
    const page = await fetch(authorizationUrl, { redirect: 'manual' })
    const { state = '', code } = Object.fromEntries(new URL(page.headers.get('Location')!).searchParams)
    const answer = await api.confirmAuthorization({ query: { state, code, confirmation: 'shown' } })
    expect(answer).toMatchObject({ status: 302, data: undefined })
    return answer.headers.get('Location')!
  }

  beforeAll(async () => {
    for (const provider of [sandbox.XERO_URL, sandbox.MSGRAPH_URL]) {
      const set = await fetch(provider + '/_sim/settings', { method: 'POST', body: '{"auto_approve":true}' })
      expect(set.ok).toBe(true)
    }
  })

  test('connect a ledger and read its data', async () => {
    const redirect_url = sandbox.BASE_URL + '/docs'
    const asked = await api.authorizeIntegration({ body: { entity_id, provider: 'ACCOUNTING_A', redirect_url } })
    integrationId = asked.data.integration_id
    expect(await consent(asked.data.authorization_url)).toContain(`integration_id=${integrationId}`)
    const path = { integrationId }
    const [books] = await api.listAccountingOrganizations({ path, query: { entity_id } }).toArray()
    const setUp = await api.setUpIntegration({
      path,
      body: {
        entity_id,
        status: 'PENDING',
        public_metadata: { provider: 'ACCOUNTING_A', organization_id: books!.organization_id, pays_tax: true },
      },
    })
    expect(setUp.data.status).toBe('ACTIVE')
    expect((await api.getIntegration({ path })).data.status).toBe('ACTIVE')
    const shared = await api.connectEntities({ path, body: { items: [{ entity_id }] } })
    expect(shared.data.items[0]).toMatchObject({ integration_id: integrationId, status: 'ACTIVE', error: null })
    const accounts = await api.listAccountingAccounts({ path, query: { account_types: ['EXPENSE'] } }).toArray()
    expect(accounts.length).toBeGreaterThan(0)
    expect((await api.listAccountingContacts({ path, query: { limit: 1 } }).toArray()).length).toBeGreaterThan(1)
    expect((await api.listAccountingTaxRates({ path })).data.items.length).toBeGreaterThan(0)
    expect((await api.listAccountingCurrencies({ path })).data.items.length).toBeGreaterThan(0)
    const providers = await api.listIntegrations().toArray()
    expect(providers.map((p) => p.provider)).toContain('ACCOUNTING_A')
    expect((await api.getIntegrationStatus({ path: { integration_id: integrationId } })).data.status).toBe('ACTIVE')
    const again = await api.connectIntegration({ path: { integration_id: integrationId }, body: { redirect_url } })
    expect(await confirm(again.data.authorization_url)).toContain(`integration_id=${integrationId}`)

    const link = await api.createConnectLink({ body: { entity_id, provider: 'ACCOUNTING_A', expires_in: 3600 } })
    expect(link.data.url).toContain('/connect/')
    expect(link.data.integration_id).toBe(integrationId)

    await api.updateSettings({ path: { entity_id }, body: { default_account_id: accounts[0]!.id } })
  })

  test('sync an invoice', async () => {
    const { data: document } = await api.uploadDocument({ body: { entity_id, file: invoiceFile('client-2') } })
    const { data: invoice } = await api.extractInvoice({ body: { document_id: document.id } })
    const path = { invoice_id: invoice.id }
    await api.approveInvoice({ path, body: { version: invoice.version } })
    const booked = await api.syncInvoice({ path })
    expect(booked.data.sync).toMatchObject({ state: 'DONE', integration_id: integrationId })
  })

  test('watch a folder', async () => {
    const redirect_url = sandbox.BASE_URL + '/docs'
    const asked = await api.authorizeIntegration({ body: { entity_id, provider: 'DOCSTORE_A', redirect_url } })
    await consent(asked.data.authorization_url)
    const path = { integrationId: asked.data.integration_id }
    const [source] = await api.listTriggerSources({ path, query: { entity_id } }).toArray()
    const folders = api.listTriggerSubSources({ path: { ...path, sourceId: source!.id }, query: { entity_id } })
    const [folder] = await folders.toArray()
    const inside = api.listTriggerFolders({ path: { ...path, sourceId: source!.id, subSourceId: folder!.id }, query: { entity_id } })
    expect((await inside.toArray()).every((f) => f.path === f.name)).toBe(true)
    const setUp = await api.setUpIntegration({
      path,
      body: {
        entity_id,
        status: 'PENDING',
        public_metadata: { provider: 'DOCSTORE_A', source_id: source!.id, sub_source_id: folder!.id },
      },
    })
    expect(setUp.data.status).toBe('ACTIVE')
    expect(await api.listSkippedFiles({ path, query: { entity_id } }).toArray()).toEqual([])

    // The document store receives the notification URL and validates it.
    const subscribed = async () => {
      const state = (await (await fetch(sandbox.MSGRAPH_URL + '/_sim/state')).json()) as { subscriptions: { address: string }[] }
      return state.subscriptions[0]!.address
    }
    const address = await vi.waitFor(subscribed, { timeout: 30_000, interval: 100 })
    const query = { validationToken: 'Validation: 0a1b <&>' }
    const subscription_id = new URL(address).pathname.split('/').at(-1)!
    const echo = await api.receiveStorageNotification({ path: { subscription_id }, query })
    expect(echo.data).toBe(query.validationToken)
  })

  afterAll(async () => {
    const ended = await api.disconnectIntegration({ path: { integrationId } })
    expect(ended.data.status).toBe('DISCONNECTED')
  })
})

describe('webhooks', () => {
  // The secrets of the sandbox, which simulates both senders.
  const seconds = () => Math.floor(Date.now() / 1000).toString()
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text)

  test('an e-mail of a provider of inbound e-mail', async () => {
    const body = new Blob(['From: a@example.com\r\nTo: b@example.com\r\nSubject: Hello\r\n\r\nNo invoice.'], { type: 'message/rfc822' })
    const headers = { 'X-Webhook-Secret': sandbox.EMAIL_WEBHOOK_SECRET! }
    const answer = await api.receiveEmail({ body, headers, query: { recipient: sandbox.ENTITY_EMAIL! } })
    expect(answer.data).toEqual({ received: true })
  })

  test('an event of the payment processor', async () => {
    const body = { id: `evt_${randomUUID()}`, object: 'event', type: 'product.created', created: Number(seconds()), data: { object: {} } }
    const at = seconds()
    const signature = hmac('whsec_sandbox', `${at}.${JSON.stringify(body)}`).digest('hex')
    const answer = await api.receivePaymentEvent({ body, headers: { 'Stripe-Signature': `t=${at},v1=${signature}` } })
    expect(answer.data).toEqual({ received: true })
  })

  test('an event of the identity provider', async () => {
    const body = { type: 'session.created', data: { id: 'sess_1' } }
    const [id, at] = [`msg_${randomUUID()}`, seconds()]
    const key = Buffer.from('c2FuZGJveC1zYW5kYm94LXNhbmRib3g=', 'base64')
    const signature = hmac(key, `${id}.${at}.${JSON.stringify(body)}`).digest('base64')
    const headers = { 'svix-id': id, 'svix-timestamp': at, 'svix-signature': `v1,${signature}` }
    expect((await api.receiveIdentityEvent({ body, headers })).data).toEqual({ received: true })
  })
})

test('every operation of the specification succeeded at least once', () => {
  expect([...answered].sort()).toEqual(operationIds)
})
