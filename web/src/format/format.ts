// Dates, numbers and amounts in the locale of the browser. Amounts are decimal
// strings and are never computed with floating-point numbers.

const dateFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const shortDateFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const timeFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric', hour: 'numeric', minute: '2-digit' })
const parts = new Intl.NumberFormat(undefined).formatToParts(12345.6)
const decimalSign = parts.find((p) => p.type === 'decimal')?.value ?? '.'
const groupSign = parts.find((p) => p.type === 'group')?.value ?? ','

/** Formats a date (YYYY-MM-DD), which has no time zone. */
export function formatDate(date: string | null | undefined, fallback = '–'): string {
  const at = date ? Date.parse(`${date}T00:00:00Z`) : NaN
  return Number.isNaN(at) ? (date ?? fallback) : dateFormat.format(at)
}

/** Formats a date; a date of the current year without the year. */
export function formatShortDate(date: string | null | undefined): string {
  const at = date ? Date.parse(`${date}T00:00:00Z`) : NaN
  if (Number.isNaN(at)) {
    return date ?? '–'
  }
  return date!.startsWith(`${new Date().getFullYear()}-`) ? shortDateFormat.format(at) : dateFormat.format(at)
}

const monthFormat = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** Formats a month (YYYY-MM). */
export const formatMonth = (month: string): string => monthFormat.format(Date.parse(`${month}-01T00:00:00Z`))

export function formatTime(timestamp: string | null | undefined): string {
  const at = timestamp ? Date.parse(timestamp) : NaN
  return Number.isNaN(at) ? '–' : timeFormat.format(at)
}

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const steps: [Intl.RelativeTimeFormatUnit, number][] = [['day', 86_400], ['hour', 3600], ['minute', 60]]

/** Formats a time as its distance from now, such as "3 hours ago". */
export function formatAge(timestamp: string): string {
  const seconds = (Date.parse(timestamp) - Date.now()) / 1000
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) {
      return relative.format(Math.round(seconds / size), unit)
    }
  }
  return relative.format(Math.round(seconds / 60), 'minute')
}

/** Formats a decimal string with at least the given digits after its sign. */
export function formatDecimal(value: string | null | undefined, digits = 0): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value ?? '')
  if (!match) {
    return value ?? '–'
  }
  const [, sign, whole = '', fraction = ''] = match
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, groupSign)
  const shown = fraction.padEnd(digits, '0')
  return (sign ? '−' : '') + grouped + (shown ? decimalSign + shown : '')
}

export const formatMoney = (value: string | null | undefined): string => formatDecimal(value, 2)

/** Groups the characters of an IBAN by four. */
export const formatIban = (iban: string): string => iban.replace(/(.{4})(?=.)/g, '$1 ')

export function formatCount(value: number): string {
  return value.toLocaleString()
}

export function formatPercent(share: number): string {
  return share.toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 0 })
}

export function formatBytes(bytes: number): string {
  return bytes < 1 << 20
    ? Math.ceil(bytes / 1024).toLocaleString(undefined, { maximumFractionDigits: 0, style: 'unit', unit: 'kilobyte' })
    : (bytes / (1 << 20)).toLocaleString(undefined, { maximumFractionDigits: 1, style: 'unit', unit: 'megabyte' })
}

/** Adds decimal strings exactly. */
export function addDecimals(values: (string | null | undefined)[]): string {
  const digits = 10
  let sum = 0n
  for (const value of values) {
    const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value ?? '')
    if (match) {
      const units = BigInt(match[2]! + (match[3] ?? '').slice(0, digits).padEnd(digits, '0'))
      sum += match[1] ? -units : units
    }
  }
  const text = (sum < 0n ? -sum : sum).toString().padStart(digits + 1, '0')
  const fraction = text.slice(-digits).replace(/0+$/, '')
  return (sum < 0n ? '-' : '') + text.slice(0, -digits) + (fraction ? `.${fraction.padEnd(2, '0')}` : '')
}

/** A decimal as it is edited: in the browser's notation, so that parseDecimal returns it unchanged. */
export const editableDecimal = (value: string): string => value.replace('.', decimalSign)

/** Reads an amount as people type it, in the browser's notation or another one; null if it is none. */
export function parseDecimal(typed: string): string | null {
  let text = typed.replace(/[\s'’]/g, '').replace('−', '-')
  // Some notations have signs of their own, such as the Arabic ones.
  text = /[.,]/.test(groupSign) ? text : text.replaceAll(groupSign, '')
  text = /[.,]/.test(decimalSign) ? text : text.replace(decimalSign, '.')
  const last = Math.max(text.lastIndexOf(','), text.lastIndexOf('.'))
  if (last >= 0) {
    const sign = text[last]!
    const repeated = text.indexOf(sign) !== last
    const groupOnly = sign === groupSign && text.length - last === 4 && !/[.,]/.test(text.slice(0, last))
    text = repeated || groupOnly
      ? text.replace(/[.,]/g, '')
      : `${text.slice(0, last).replace(/[.,]/g, '')}.${text.slice(last + 1)}`
  }
  return /^-?\d+(\.\d+)?$/.test(text) ? text : null
}

/** Today as YYYY-MM-DD in the time zone of the browser. */
export function today(): string {
  const now = new Date()
  return [now.getFullYear(), String(now.getMonth() + 1).padStart(2, '0'), String(now.getDate()).padStart(2, '0')].join('-')
}
