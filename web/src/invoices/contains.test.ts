import type { Invoice } from '@docledger/client'
import { expect, it } from 'vitest'

import { contains } from './contains'

const invoice = {
  purchase_order: 'PO-1.10',
  net_total: '12.50',
  payment: { iban: 'GB1', bic: null },
  lines: [{ id: 'a', description: 'Paper', quantity: '2.00' }],
} as unknown as Invoice

it('finds the values that a patch sets', () => {
  expect(contains(invoice, { purchase_order: 'PO-1.10', net_total: '12.5', payment: { bic: null } })).toBe(true)
  expect(contains(invoice, { lines: [{ id: 'a', quantity: '2' }, { id: 'b', deleted: true }] })).toBe(true)
})

it('finds that a value is missing', () => {
  expect(contains(invoice, { purchase_order: 'PO-1.1' })).toBe(false)
  expect(contains(invoice, { net_total: null })).toBe(false)
  expect(contains(invoice, { payment: { iban: 'GB2' } })).toBe(false)
  expect(contains(invoice, { lines: [{ id: 'a', deleted: true }] })).toBe(false)
  expect(contains(invoice, { lines: [{ id: 'b', quantity: '2' }] })).toBe(false)
})

it('never takes an added line for one that is there', () => {
  expect(contains(invoice, { lines: [{ description: 'Paper' }] })).toBe(false)
})
