// The TypeScript client where it will run: in a page of the service's origin.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { signIn, startBrowser, startSandbox, watch } from './world.mjs'

test('the client in a browser', async (t) => {
  const sandbox = await startSandbox(t)
  const origin = sandbox.BASE_URL
  const page = await (await startBrowser(t)).newPage()
  const wrong = watch(page, origin)
  await page.route(`${origin}/client/**`, async (route) => {
    const path = new URL(route.request().url()).pathname.slice('/client/'.length)
    await route.fulfill({ contentType: 'text/javascript', body: await readFile(join(process.env.CLIENT, path), 'utf8') })
  })
  await page.goto(origin + '/docs/errors') // a small page
  const token = await signIn(sandbox)
  const given = { baseUrl: origin, token, entityId: sandbox.ENTITY_ID }

  await t.test('calls and iterates', async () => {
    const seen = await page.evaluate(async ({ baseUrl, token }) => {
      const { Docledger } = await import('/client/index.js')
      const api = new Docledger({ baseUrl, token })
      const { data, requestId } = await api.getMe()
      const entities = await api.listEntities().toArray()
      return { email: data.user.email, requestId, entities: entities.length }
    }, given)
    assert.equal(seen.email, sandbox.LOGIN_EMAIL)
    assert.match(seen.requestId, /^[0-9a-f-]{36}$/)
    assert.equal(seen.entities, 2)
  })

  await t.test('reports the progress of an upload', async () => {
    const network = await page.context().newCDPSession(page)
    const throttle = (uploadThroughput) =>
      network.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput })
    await throttle(4 << 20)
    const { progress, size, document } = await page.evaluate(async ({ baseUrl, token, entityId }) => {
      const { Docledger } = await import('/client/index.js')
      const api = new Docledger({ baseUrl, token })
      const text = `<?xml version="1.0"?><!--${'x'.repeat(4 << 20)}--><Invoice/>`
      const file = new File([text], 'large.xml', { type: 'application/xml' })
      const progress = []
      const { data } = await api.uploadDocument({ body: { entity_id: entityId, file }, onProgress: (p) => progress.push(p) })
      return { progress, size: file.size, document: data }
    }, given)
    assert.equal(document.filename, 'large.xml')
    assert.equal(document.size_bytes, size)
    await throttle(-1)
    const { total } = progress[0]
    assert.ok(total > size && total < size + 2048, `the form of a file of ${size} bytes has ${total}`)
    assert.deepEqual([progress[0], progress.at(-1)], [{ loaded: 0, total }, { loaded: total, total }])
    const loaded = progress.map((p) => p.loaded)
    assert.deepEqual(loaded, [...loaded].sort((a, b) => a - b))
    assert.ok(loaded.some((bytes) => bytes > 0 && bytes < total), `progress was ${loaded}`)
  })

  await t.test('aborts an upload on request', async () => {
    const reason = await page.evaluate(async ({ baseUrl, token, entityId }) => {
      const { Docledger } = await import('/client/index.js')
      const api = new Docledger({ baseUrl, token })
      const abort = new AbortController()
      const file = new File(['x'.repeat(32 << 20)], 'unwanted.txt')
      const body = { entity_id: entityId, file }
      const call = api.uploadDocument({ body, signal: abort.signal, onProgress: () => abort.abort('not wanted any more') })
      return call.then(
        () => 'it succeeded',
        (error) => error,
      )
    }, given)
    assert.equal(reason, 'not wanted any more')
  })

  await t.test('reports a refused upload like any other error', async () => {
    const error = await page.evaluate(async ({ baseUrl, token }) => {
      const { Docledger, ApiError } = await import('/client/index.js')
      const api = new Docledger({ baseUrl, token })
      const body = { entity_id: '01936b1e-0000-7000-8000-000000000000', file: new File(['<a/>'], 'a.xml') }
      return api.uploadDocument({ body, onProgress: () => {} }).then(
        () => undefined,
        (e) => ({ ours: e instanceof ApiError, code: e.code, status: e.status, requestId: e.requestId, of: e.details.request_id }),
      )
    }, given)
    assert.equal(error.requestId, error.of)
    assert.deepEqual({ ...error, requestId: 0, of: 0 }, { ours: true, code: 'not_found', status: 404, requestId: 0, of: 0 })
  })

  await t.test('says that a connection was lost, and tries an upload again with the same key', async () => {
    const keys = []
    await page.route(`${origin}/api/documents/upload`, async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      await (keys.length === 1 ? route.abort('connectionreset') : route.continue())
    })
    const filename = await page.evaluate(async ({ baseUrl, token, entityId }) => {
      const { Docledger } = await import('/client/index.js')
      const api = new Docledger({ baseUrl, token })
      const body = { entity_id: entityId, file: new File(['<Invoice>again</Invoice>'], 'again.xml') }
      return (await api.uploadDocument({ body, onProgress: () => {} })).data.filename
    }, given)
    assert.equal(filename, 'again.xml')
    assert.equal(keys.length, 2)
    assert.equal(keys[0], keys[1])
  })

  assert.deepEqual(wrong, [])
})
