// The fields of the review: where each value is in an invoice, and what is doubtful.
import type { Evidence, Invoice, InvoicePatch } from '@docledger/client'

export type Kind = 'text' | 'date' | 'amount'

export interface Field {
  path: string
  kind: Kind
}

export const sections = {
  supplier: ['seller.name', 'seller.tax_id', 'payment.iban', 'payment.bic', 'payment.reference'],
  invoice: ['invoice_number', 'issue_date', 'due_date', 'currency', 'purchase_order', 'payment.terms'],
  totals: ['net_total', 'tax_total', 'gross_total', 'amount_due'],
  buyer: ['buyer.name', 'buyer.tax_id'],
} as const

const kinds: Record<string, Kind> = {
  issue_date: 'date', due_date: 'date', delivery_date: 'date', posting_date: 'date',
  net_total: 'amount', tax_total: 'amount', gross_total: 'amount', amount_due: 'amount', prepaid_total: 'amount',
}

export const fieldOf = (path: string): Field => ({ path, kind: kinds[path] ?? 'text' })

/** All paths in the order of the screen. */
export const order: readonly string[] = [...sections.supplier, ...sections.invoice, ...sections.totals, ...sections.buyer]

export function valueAt(invoice: Invoice, path: string): string | null {
  const value = path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | null)?.[key], invoice)
  return typeof value === 'string' ? value : null
}

/** The change that sets one value. */
export function patchOf(path: string, value: string | null): InvoicePatch {
  const [first = '', second] = path.split('.')
  return (second === undefined ? { [first]: value } : { [first]: { [second]: value } }) as InvoicePatch
}

/** Reports whether a person should compare the value with the page. */
export function isDoubtful(invoice: Invoice, path: string, threshold = 0): boolean {
  const evidence = invoice.fields[path]
  if (!evidence || evidence.source === 'HUMAN') {
    return invoice.checks.some((c) => !c.passed && c.field === path && evidence?.source !== 'HUMAN')
  }
  return evidence.confidence < threshold || invoice.checks.some((c) => !c.passed && c.field === path)
}

export const isOpen = (invoice: Invoice): boolean => invoice.status === 'EXTRACTED' || invoice.status === 'NEEDS_REVIEW'

/** The fields of an open invoice that are doubtful, in the order of the screen. */
export const doubtfulPaths = (invoice: Invoice, threshold?: number): string[] =>
  isOpen(invoice) ? order.filter((path) => isDoubtful(invoice, path, threshold)) : []

export interface Mark {
  path: string
  page: number
  box: [number, number, number, number]
}

/** The places on the pages from which values were read. */
export function marksOf(invoice: Invoice): Mark[] {
  return Object.entries(invoice.fields).flatMap(([path, evidence]: [string, Evidence]) =>
    evidence.page && evidence.box ? [{ path, page: evidence.page, box: evidence.box }] : [],
  )
}
