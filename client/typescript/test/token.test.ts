import { describe, expect, test, vi } from 'vitest'

import { fake, ok, refusal } from './fake.js'

const bearers = (sent: Request[]) => sent.map((request) => request.headers.get('Authorization'))

describe('the token', () => {
  test('can be a string', async () => {
    const { api, sent } = fake([ok({})], { token: 'abc' })
    await api.getMe()
    expect(bearers(sent)).toEqual(['Bearer abc'])
  })

  test('is requested for each call', async () => {
    let count = 0
    const { api, sent } = fake([ok({}), ok({})], { token: () => Promise.resolve(`t${++count}`) })
    await api.getMe()
    await api.getMe()
    expect(bearers(sent)).toEqual(['Bearer t1', 'Bearer t2'])
  })

  test('source learns whether the call changes data', async () => {
    const token = vi.fn((_: string | undefined, changes?: boolean) => (changes ? 'write' : 'read'))
    const { api, sent } = fake([ok({}), ok({})], { token })
    await api.getMe()
    await api.logout()
    expect(bearers(sent)).toEqual(['Bearer read', 'Bearer write'])
  })

  test('is renewed once after a refusal, for every kind of request', async () => {
    const token = vi.fn((refused?: string) => (refused ? 'new' : 'old'))
    const { api, sent } = fake([refusal(401, 'unauthorized'), ok({ items: [] })], { token })
    await api.approveInvoice({ path: { invoice_id: 'invoice' }, body: { version: 1 } })
    expect(bearers(sent)).toEqual(['Bearer old', 'Bearer new'])
    expect(token.mock.calls).toEqual([[undefined, true], ['old', true]])
  })

  test.each([
    ['the same', () => 'old', 1],
    ['none', (refused?: string) => (refused ? undefined : 'old'), 1],
    ['another that is refused too', (refused?: string) => (refused ? 'new' : 'old'), 2],
  ])('fails the call when it is renewed as %s', async (_, token, requests) => {
    const { api, sent } = fake([refusal(401, 'unauthorized'), refusal(401, 'unauthorized')], { token })
    await expect(api.getMe()).rejects.toMatchObject({ code: 'unauthorized' })
    expect(sent).toHaveLength(requests)
  })

  test('is not requested to sign in', async () => {
    const token = vi.fn(() => 'abc')
    const { api, sent } = fake([ok({ token: 'new' })], { token })
    await api.login({ body: { email: 'ada@example.com', password: 'secret' } })
    expect(token).not.toHaveBeenCalled()
    expect(bearers(sent)).toEqual([null])
  })

  test('source that fails rejects the call with its error', async () => {
    const { api } = fake([], { token: () => Promise.reject(new Error('signed out')) })
    await expect(api.getMe()).rejects.toThrow('signed out')
  })

  test.each([
    ['', [], () => new Promise<string>(() => {})],
    [' once more', [refusal(401, 'unauthorized')], (refused?: string) => (refused ? new Promise<string>(() => {}) : 'old')],
  ])('that never comes%s does not hold a call that was ended', async (_, replies, token) => {
    const { api, sent } = fake(replies, { token })
    const control = new AbortController()
    const call = api.getMe({ signal: control.signal })
    await vi.waitFor(() => expect(sent).toHaveLength(replies.length))
    control.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
  })

  test('is not requested by an aborted call', async () => {
    const token = vi.fn(() => 'abc')
    const { api } = fake([], { token })
    await expect(api.getMe({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
    expect(token).not.toHaveBeenCalled()
  })
})
