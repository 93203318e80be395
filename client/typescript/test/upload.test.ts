import { expect, test } from 'vitest'

import type { Progress } from '../../../gen/typescript/src/index.js'
import { fake, ok, refusal } from './fake.js'
import { invoiceFile, sandbox, signIn } from './world.js'

const entity_id = sandbox.ENTITY_ID!

test('an upload keeps the file name and reports its progress', async () => {
  const api = await signIn()
  const file = invoiceFile('client-upload')
  const progress: Progress[] = []
  const { data } = await api.uploadDocument({ body: { entity_id, file }, onProgress: (p) => progress.push(p) })
  expect(data).toMatchObject({ filename: file.name, size_bytes: file.size })
  expect(progress).toEqual([
    { loaded: 0, total: file.size },
    { loaded: file.size, total: file.size },
  ])
})

test('a retry sends the whole form again with the same key', async () => {
  const { api, sent } = fake([refusal(503, 'unavailable', { 'Retry-After': '0' }), ok({ id: 'document' })])
  const file = invoiceFile('client-again')
  await api.uploadDocument({ body: { entity_id, file } })
  const forms = await Promise.all(sent.map((request) => request.formData()))
  for (const form of forms) {
    expect(form.get('entity_id')).toBe(entity_id)
    expect(await (form.get('file') as File).text()).toBe(await file.text())
  }
  expect(new Set(sent.map((request) => request.headers.get('Idempotency-Key'))).size).toBe(1)
})

test('the same upload with the same key returns the same document', async () => {
  const api = await signIn()
  const call = { body: { entity_id, file: invoiceFile('client-once') }, headers: { 'Idempotency-Key': 'client-once' } }
  const [first, second] = [await api.uploadDocument(call), await api.uploadDocument(call)]
  expect(second.data).toEqual(first.data)
})
