import { readFileSync } from 'node:fs'

import { inject } from 'vitest'

import { Docledger, type DocledgerOptions } from '../../../gen/typescript/src/index.js'

/** The values of the sandbox. */
export const sandbox = inject('sandbox')

const invoice = readFileSync(new URL('../../../examples/invoice-ubl.xml', import.meta.url), 'utf8')

/** A client with the token of the administrator. */
export async function signIn(options: Partial<DocledgerOptions> = {}): Promise<Docledger> {
  const baseUrl = sandbox.BASE_URL!
  const { data } = await new Docledger({ baseUrl, ...options }).login({
    body: { email: sandbox.LOGIN_EMAIL!, password: sandbox.LOGIN_PASSWORD! },
  })
  return new Docledger({ baseUrl, token: data.token, ...options })
}

/** The example invoice with a unique number, so that it is not a duplicate. */
export function invoiceFile(number: string): File {
  const text = invoice.replaceAll('2026-0042', number)
  return new File([text], `${number}.xml`, { type: 'application/xml' })
}
