import { readFileSync } from 'node:fs'

import { describe, expect, test } from 'vitest'

import { ApiError, ConnectionError, type DocledgerError, errorCodes, hasCode, isDocledgerError } from '../../../gen/typescript/src/index.js'
import { fake, refusal } from './fake.js'
import { sandbox, signIn } from './world.js'

async function rejection(call: Promise<unknown>): Promise<DocledgerError> {
  const error: unknown = await call.then(
    () => undefined,
    (e: unknown) => e,
  )
  if (!isDocledgerError(error)) {
    throw new Error('the call should reject with an error of the client', { cause: error })
  }
  return error
}

describe('an error of the service', () => {
  test('contains the reason for each invalid value', async () => {
    const api = await signIn()
    const error = await rejection(api.createEntity({ body: { name: '' } }))
    expect(error).toBeInstanceOf(ApiError)
    if (!hasCode(error, 'invalid_request')) {
      throw error
    }
    expect(error.status).toBe(400)
    expect(error.details.fields?.[0]?.field).toBe('name')
    expect(error.requestId).toBe(error.details.request_id)
    expect(error.operation).toBe('createEntity')
  })

  test('contains the current version of the record', async () => {
    const api = await signIn()
    const path = { entity_id: sandbox.ENTITY_ID! }
    const error = await rejection(api.updateEntity({ path, body: {}, headers: { 'If-Match': '"99"' } }))
    expect(hasCode(error, 'version_conflict') && error.details.current_version).toBeGreaterThan(0)
  })

  test('reports a missing record', async () => {
    const api = await signIn({ token: 'no token' })
    expect(await rejection(api.getMe())).toMatchObject({ code: 'unauthorized', status: 401 })
  })

  test('can have an unknown code', async () => {
    const { api } = fake([refusal(400, 'invented_later')])
    const error = await rejection(api.getMe())
    expect(error).toMatchObject({ name: 'ApiError', code: 'invented_later', status: 400 })
  })
})

describe('a connection error', () => {
  test('reports a refused connection', async () => {
    const { api } = fake([new TypeError('fetch failed')], { retries: 0 })
    const error = await rejection(api.getMe())
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ code: 'connection_failed', status: undefined, cause: { message: 'fetch failed' } })
  })

  test('reports a timeout', async () => {
    const silence = (request: Request) =>
      new Promise<Response>((_, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason)))
    const { api } = fake([silence], { retries: 0, timeoutMs: 20 })
    expect(await rejection(api.getMe())).toMatchObject({ code: 'timed_out' })
  })

  test.each([
    ['an error page', new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'Content-Type': 'text/html' } }), 502],
    ['a sign-in page', new Response('<h1>Hotel</h1>', { headers: { 'Content-Type': 'text/html' } }), 200],
    ['JSON of somebody else', Response.json({ error: 'no' }, { status: 403 }), 403],
  ])('but of something on the way: %s', async (_, response, status) => {
    const { api } = fake([response], { retries: 0 })
    expect(await rejection(api.getMe())).toMatchObject({ code: 'unexpected_answer', status })
  })

  test('reports an incomplete response', async () => {
    const { api } = fake([new Response('{"user":', { headers: { 'Content-Type': 'application/json' } })], { retries: 0 })
    expect(await rejection(api.getMe())).toMatchObject({ code: 'unexpected_answer' })
  })
})

test('the client knows all documented codes', () => {
  const text = readFileSync(new URL('../../../openapi/common.yaml', import.meta.url), 'utf8')
  const explained = [...text.matchAll(/^ {8}- `(\w+)`: /gm)].map((match) => match[1])
  expect(explained.length).toBeGreaterThan(15)
  expect([...errorCodes].sort()).toEqual(explained.sort())
})
