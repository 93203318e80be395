import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { fake, ok, refusal, type Reply } from './fake.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Advances the time until the call ends, and returns its result and duration. */
async function ended<T>(call: Promise<T>): Promise<{ value?: T; error?: unknown; ms: number }> {
  const began = Date.now()
  const end = call.then(
    (value) => ({ value, ms: Date.now() - began }),
    (error: unknown) => ({ error, ms: Date.now() - began }),
  )
  await vi.runAllTimersAsync()
  return end
}

const broken = () => new TypeError('fetch failed')
const body = { name: 'Example' }

describe('a safe request', () => {
  test.each<[string, Reply, number]>([
    ['429 with seconds', refusal(429, 'rate_limited', { 'Retry-After': '7' }), 7_000],
    ['503 with seconds', refusal(503, 'unavailable', { 'Retry-After': '2' }), 2_000],
    ['503 with nothing to wait for', refusal(503, 'unavailable', { 'Retry-After': '0' }), 0],
  ])('waits as long as Retry-After requests: %s', async (_, reply, ms) => {
    const { api, sent } = fake([reply, ok({ id: 'user' })])
    const end = await ended(api.getMe())
    expect(end.value?.requestId).toBe('request-ok')
    expect(sent).toHaveLength(2)
    expect(end.ms).toBe(ms)
  })

  test('waits until the date in Retry-After', async () => {
    vi.setSystemTime('2026-03-31T09:30:00Z')
    const { api } = fake([refusal(503, 'unavailable', { 'Retry-After': 'Tue, 31 Mar 2026 09:30:09 GMT' }), ok({})])
    expect((await ended(api.getMe())).ms).toBe(9_000)
  })

  test('is retried after a lost connection with increasing delays', async () => {
    const { api, sent } = fake([broken(), broken(), broken(), ok({})])
    const { value, ms } = await ended(api.getMe())
    expect(value).toBeDefined()
    expect(sent).toHaveLength(4)
    expect(ms).toBeGreaterThanOrEqual(250 + 500 + 1_000)
    expect(ms).toBeLessThanOrEqual(500 + 1_000 + 2_000)
  })

  test('fails after the last retry', async () => {
    const { api, sent } = fake([1, 2, 3].map(() => refusal(503, 'unavailable', { 'Retry-After': '1' })), { retries: 2 })
    const { error } = await ended(api.getMe())
    expect(error).toMatchObject({ name: 'ApiError', code: 'unavailable', status: 503, retryAfterMs: 1_000 })
    expect(sent).toHaveLength(3)
  })

  test('is not retried if the delay is too long', async () => {
    const { api, sent } = fake([refusal(429, 'rate_limited', { 'Retry-After': '3600' })])
    const { error, ms } = await ended(api.getMe())
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 3_600_000 })
    expect([sent.length, ms]).toEqual([1, 0])
  })

  test.each(['rate_limited', 'still_processing'])('is not sent again at once when no timer takes the wait: %s', async (code) => {
    const { api, sent } = fake([refusal(503, code, { 'Retry-After': '3000000' })], { longestPauseMs: Infinity, patienceMs: Infinity })
    const { error } = await ended(api.getMe())
    expect(error).toMatchObject({ code, retryAfterMs: 3_000_000_000 })
    expect(sent).toHaveLength(1)
  })

  test.each([Infinity, 2 ** 33, 2 ** 31, 1_000.5, 1e9])('takes every time that a try may last: %d', async (timeoutMs) => {
    const { api } = fake([ok({}), ok({})], { timeoutMs })
    expect((await ended(api.getMe())).value).toBeDefined()
    expect((await ended(api.getMe({ timeoutMs }))).value).toBeDefined()
  })

  test.each([
    [400, 'invalid_request'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [500, 'internal'],
  ])('is not sent again when that does not help: %d', async (status, code) => {
    const { api, sent } = fake([refusal(status, code)])
    expect((await ended(api.getMe())).error).toMatchObject({ code, status })
    expect(sent).toHaveLength(1)
  })

  test('uses the number of retries of the call instead of the client', async () => {
    const { api, sent } = fake([broken()], { retries: 9 })
    expect((await ended(api.getMe({ retries: 0 }))).error).toMatchObject({ code: 'connection_failed' })
    expect(sent).toHaveLength(1)
  })
})

describe('a request that changes something', () => {
  test('has the same key on every attempt', async () => {
    const running = refusal(400, 'conflict', { 'Retry-After': '1' })
    const { api, sent } = fake([broken(), running, ok({ id: 'entity' })])
    expect((await ended(api.createEntity({ body }))).value).toBeDefined()
    const keys = sent.map((request) => request.headers.get('Idempotency-Key'))
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(await sent[2]!.json()).toEqual(body)
  })

  test('has a new key on every call', async () => {
    const { api, sent } = fake([ok({}), ok({})])
    await ended(api.createEntity({ body }))
    await ended(api.createEntity({ body }))
    expect(sent[0]!.headers.get('Idempotency-Key')).not.toBe(sent[1]!.headers.get('Idempotency-Key'))
  })

  test('has the key of the caller', async () => {
    const { api, sent } = fake([ok({})])
    await ended(api.createEntity({ body, headers: { 'Idempotency-Key': 'mine' } }))
    expect(sent[0]!.headers.get('Idempotency-Key')).toBe('mine')
  })

  test.each<[string, Reply]>([
    ['a lost connection', broken()],
    ['503', refusal(503, 'unavailable', { 'Retry-After': '1' })],
  ])('is sent once where it takes no key: %s', async (_, reply) => {
    const { api, sent } = fake([reply])
    const call = api.approveInvoice({ path: { invoice_id: 'invoice' }, body: { version: 1 } })
    expect((await ended(call)).error).toMatchObject({ operation: 'approveInvoice' })
    expect(sent).toHaveLength(1)
    expect(sent[0]!.headers.get('Idempotency-Key')).toBeNull()
  })
})

describe('a long operation', () => {
  const processing = () => refusal(503, 'still_processing', { 'Retry-After': '5' }, { document_id: 'document' })
  const call = { body: { document_id: 'document' } }

  test('is repeated until it is ready', async () => {
    const { api, sent } = fake([...Array(20).fill(0).map(processing), ok({ id: 'invoice' })])
    const end = await ended(api.extractInvoice(call))
    expect(end.value?.data.id).toBe('invoice')
    expect([sent.length, end.ms]).toEqual([21, 100_000])
  })

  test('fails after patienceMs', async () => {
    const { api, sent } = fake([processing(), processing(), processing()], { patienceMs: 12_000 })
    expect((await ended(api.extractInvoice(call))).error).toMatchObject({
      code: 'still_processing',
      details: { document_id: 'document' },
    })
    expect(sent).toHaveLength(3)
  })
})

describe('a signal', () => {
  test('ends a delay', async () => {
    const { api, sent } = fake([refusal(503, 'unavailable', { 'Retry-After': '30' })])
    const abort = new AbortController()
    setTimeout(() => abort.abort(new Error('changed my mind')), 1_000)
    const end = await ended(api.getMe({ signal: abort.signal }))
    expect(end.error).toEqual(new Error('changed my mind'))
    expect([sent.length, end.ms]).toEqual([1, 1_000])
  })

  test('ends a request', async () => {
    const abort = new AbortController()
    const { api } = fake([
      (request) =>
        new Promise((_, reject) => {
          request.signal.addEventListener('abort', () => reject(request.signal.reason))
          abort.abort(new Error('changed my mind'))
        }),
    ])
    expect((await ended(api.getMe({ signal: abort.signal }))).error).toEqual(new Error('changed my mind'))
  })

  test('that is already aborted prevents the request', async () => {
    const { api, sent } = fake([])
    const end = await ended(api.getMe({ signal: AbortSignal.abort(new Error('too late')) }))
    expect(end.error).toEqual(new Error('too late'))
    expect(sent).toHaveLength(0)
  })
})
