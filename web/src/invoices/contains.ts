import type { Invoice, InvoicePatch } from '@docledger/client'

/** Values of these keys are decimals, which the service may write with other trailing zeros. */
const decimals = new Set(['net_total', 'tax_total', 'gross_total', 'amount_due', 'prepaid_total', 'quantity', 'unit_price', 'tax_rate', 'net_amount'])

/** Reports whether an invoice has all values that a patch sets. A line that the patch adds cannot be recognized. */
export function contains(invoice: Invoice, { lines, ...rest }: InvoicePatch): boolean {
  const equal = (has: unknown, set: unknown, key = ''): boolean => {
    if (typeof set === 'object' && set !== null) {
      return typeof has === 'object' && has !== null && Object.entries(set).every(([each, value]) => equal((has as Record<string, unknown>)[each], value, each))
    }
    return has === set || (decimals.has(key) && has !== null && set !== null && Number(has) === Number(set))
  }
  return equal(invoice, rest) && (lines ?? []).every(({ id, deleted, ...values }) => {
    const line = invoice.lines.find((each) => each.id === id)
    return id !== undefined && (deleted ? line === undefined : equal(line, values))
  })
}
