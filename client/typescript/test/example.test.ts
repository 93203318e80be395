import { fileURLToPath } from 'node:url'

import { expect, test } from 'vitest'

import { integrate } from '../../../examples/integration/integration.mjs'
import { sandbox } from './world.js'

test('the example prints the data of an invoice', async () => {
  const file = fileURLToPath(new URL('../../../examples/invoice-ubl.xml', import.meta.url))
  expect(await integrate(sandbox, file)).toBe('2026-0042 318.92 EUR')
})
