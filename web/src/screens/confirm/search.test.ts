import { expect, test } from 'vitest'

import { idsOf, readConfirmation } from './search'

test('items are UUIDs in base64url, each once', () => {
  const one = '01936b1e-0000-7000-8000-000000000005'
  const item = 'AZNrHgAAcACAAAAAAAAABQ'
  expect(idsOf(`${item}.${item}`)).toEqual([one])
  expect(idsOf(undefined)).toEqual([])
  expect(idsOf('short.' + item + '.with space in the middle')).toEqual([one])
})

test('unknown actions are left out', () => {
  expect(readConfirmation({ action: 'delete', items: 5, other: 'x' })).toEqual({ action: undefined, items: '5', reason: undefined })
  expect(readConfirmation({ action: 'approve', items: 'a.b', reason: 'why' })).toEqual({ action: 'approve', items: 'a.b', reason: 'why' })
})
