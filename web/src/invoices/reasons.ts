// What a failed check means, in words.
import type { Check } from '@docledger/client'

import { addDecimals, formatMoney } from '@/format/format'
import { label, t, type MessageKey } from '@/text/text'
import { messages } from '@/text/messages'

/** The columns of lines that have another name in the texts. */
const columns: Record<string, string> = { account_id: 'account', tax_rate_id: 'tax' }

/** The name of a field by its path, such as `lines[0].net_amount`. The names of columns are among the texts of the review. */
export function fieldName(path: string | null | undefined): string {
  const [, line, name] = /^lines\[(\d+)\]\.(\w+)$/.exec(path ?? '') ?? []
  const column = `line.${name && (columns[name] ?? name)}`
  if (line && column in messages) {
    return t('line.cell', { column: t(column as MessageKey), position: Number(line) + 1 })
  }
  const key = `field.${path ?? ''}`
  return key in messages ? t(key as MessageKey) : t('field.other')
}

function difference({ expected, found }: Check): string {
  const text = addDecimals([found, expected?.startsWith('-') ? expected.slice(1) : `-${expected ?? '0'}`])
  return formatMoney(text.replace(/^-/, ''))
}

/** A failed check in a few words, such as "Tax differs by 0.20". */
export function reasonOf(check: Check): string {
  const key = `reason.${check.rule}`
  if (!(key in messages)) {
    return label('rule', check.rule)
  }
  return t(key as MessageKey, { difference: difference(check), field: fieldName(check.field) })
}

/** The failed checks, those that block approval first. */
export function failedChecks(checks: readonly Check[]): Check[] {
  return checks.filter((c) => !c.passed).sort((a, b) => Number(b.severity === 'BLOCKING') - Number(a.severity === 'BLOCKING'))
}

export const blockingRules = (checks: readonly Check[]): string[] =>
  [...new Set(checks.filter((c) => !c.passed && c.severity === 'BLOCKING').map((c) => c.rule))]

/** The first reason and how many more there are: "Tax differs by 0.20 · +1". */
export function reasonLine(checks: readonly Check[]): string {
  const [first, ...others] = failedChecks(checks)
  return first ? reasonOf(first) + (others.length > 0 ? ` · +${others.length}` : '') : ''
}
