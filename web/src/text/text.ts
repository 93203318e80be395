// The texts of the application. Every text that a person reads is in the
// catalogue, by its key. A value is `{name}`; a number chooses a form by
// `{name|one form|other form}`, in which # is the number.
import { messages, type MessageKey } from './messages'
import { pseudo } from './pseudo'

export type { MessageKey }
export type Values = Record<string, string | number>

/** A test switches it on to find texts that are not in the catalogue. */
const inPseudoLocale = sessionStorage.getItem('docledger.pseudo') === 'on'

const plural = new Intl.PluralRules('en')

export function t(key: MessageKey, values: Values = {}): string {
  const found = messages[key] ?? key
  const text = inPseudoLocale ? pseudo(found) : found
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name: string, one?: string, other?: string) => {
    const value = values[name]
    if (value === undefined) {
      return whole
    }
    if (one === undefined || other === undefined) {
      return String(value)
    }
    const form = plural.select(Number(value)) === 'one' ? one : other
    return form.replace('#', typeof value === 'number' ? value.toLocaleString() : value)
  })
}

/** The text of a value of an open list, such as a status. An unknown value is shown as it is. */
export function label(group: string, value: string): string {
  const key = `${group}.${value}`
  return key in messages ? t(key as MessageKey) : value.replaceAll('_', ' ').toLowerCase()
}
