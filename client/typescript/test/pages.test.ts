import { expect, test } from 'vitest'

import { fake, ok, refusal } from './fake.js'

const page = (next_cursor: string | null, ...ids: string[]) => ok({ items: ids.map((id) => ({ id })), next_cursor })
const queries = (sent: Request[]) => sent.map((request) => new URL(request.url).search)

test('iterates all items of all pages with the same filters', async () => {
  const { api, sent } = fake([page('c2', 'a', 'b'), page('c3', 'c'), page(null, 'd')])
  const ids: string[] = []
  for await (const invoice of api.listInvoices({ query: { limit: 2, status: ['APPROVED', 'SYNCED'] } })) {
    ids.push(invoice.id)
  }
  expect(ids).toEqual(['a', 'b', 'c', 'd'])
  const filters = '?limit=2&status=APPROVED&status=SYNCED'
  expect(queries(sent)).toEqual([filters, `${filters}&cursor=c2`, `${filters}&cursor=c3`])
})

test('await returns only the first page', async () => {
  const { api, sent } = fake([page('c2', 'a')])
  const { data, requestId } = await api.listInvoices()
  expect([data.items[0]?.id, data.next_cursor, requestId]).toEqual(['a', 'c2', 'request-ok'])
  expect(sent).toHaveLength(1)
})

test('pages are requested only when needed', async () => {
  const { api, sent } = fake([page('c2', 'a', 'b')])
  const list = api.listInvoices()
  expect(sent).toHaveLength(0)
  expect((await list.toArray(0)).length + sent.length).toBe(0)
  expect(await list.toArray(2)).toHaveLength(2)
  expect(sent).toHaveLength(1)
})

test('events end at the current end of the log with a cursor', async () => {
  const { api, sent } = fake([page('e2', 'a'), page('e2')])
  let cursor: string | null = null
  for await (const { data } of api.listEvents({ query: { after: 'e1' } }).pages()) {
    cursor = data.next_cursor
  }
  expect(cursor).toBe('e2')
  expect(queries(sent)).toEqual(['?after=e1', '?after=e2'])
})

test('a failed page ends the iteration with its error', async () => {
  const { api } = fake([page('c2', 'a'), refusal(400, 'invalid_request')])
  await expect(api.listInvoices().toArray()).rejects.toMatchObject({ code: 'invalid_request', operation: 'listInvoices' })
})

test('a list is a promise', async () => {
  const { api } = fake([refusal(403, 'forbidden'), page(null, 'a')])
  const noted: string[] = []
  await api.listInvoices().catch((e: { code: string }) => noted.push(e.code))
  await api.listInvoices().finally(() => noted.push('done'))
  expect(noted).toEqual(['forbidden', 'done'])
})
