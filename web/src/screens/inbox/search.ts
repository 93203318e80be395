// The state of the inbox, which is in its address.
import type { ListInvoicesData } from '@docledger/client'

export const tabs = {
  check: ['NEEDS_REVIEW'],
  ready: ['EXTRACTED', 'APPROVED'],
  failed: ['SYNC_FAILED'],
  done: ['SYNCED', 'REJECTED'],
  all: [],
} as const satisfies Record<string, readonly string[]>

export type Tab = keyof typeof tabs

type Query = NonNullable<ListInvoicesData['query']>

export interface InboxSearch {
  entity?: string
  tab?: Tab
  q?: string
  /** The first and last due date. */
  due_from?: string
  due_to?: string
  issued_from?: string
  issued_to?: string
  /** The id of a supplier. */
  supplier?: string
  /** The id of a user, `me` or `none`. */
  assigned?: string
  /** The order of the list; without it the newest first. */
  sort?: Sort
}

type Sort = NonNullable<Query['sort']>

/** The values by which the list can be sorted. */
export const sorts = ['created_at', 'issue_date', 'due_date', 'gross_total'] as const

export type SortKey = (typeof sorts)[number]

const isSort = (value: unknown): value is Sort => typeof value === 'string' && (sorts as readonly string[]).includes(value.replace(/^-/, ''))

const person = (value: unknown): string | undefined => (value === 'me' || value === 'none' ? value : id(value))

const id = (value: unknown): string | undefined => (typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value) ? value : undefined)

export const filled = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined

const date = (value: unknown): string | undefined => (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined)

/** Keeps of an address what is valid. The router keeps a key that is absent here as it is. */
export function readSearch(raw: Record<string, unknown>): InboxSearch {
  return {
    tab: typeof raw.tab === 'string' && Object.hasOwn(tabs, raw.tab) ? (raw.tab as Tab) : undefined,
    q: filled(raw.q),
    due_from: date(raw.due_from),
    due_to: date(raw.due_to),
    issued_from: date(raw.issued_from),
    issued_to: date(raw.issued_to),
    supplier: id(raw.supplier),
    assigned: person(raw.assigned),
    sort: isSort(raw.sort) ? raw.sort : undefined,
  }
}

/** The filters of the API for a state of the inbox. */
export function filtersOf(search: InboxSearch): Query {
  const status = tabs[search.tab ?? 'check']
  return {
    ...(status.length > 0 ? { status: [...status] } : {}),
    ...(search.entity ? { entity_id: search.entity } : {}),
    ...(search.q && search.q.length >= 2 ? { q: search.q } : {}),
    ...(search.due_from ? { due_date_from: search.due_from } : {}),
    ...(search.due_to ? { due_date_to: search.due_to } : {}),
    ...(search.issued_from ? { issue_date_from: search.issued_from } : {}),
    ...(search.issued_to ? { issue_date_to: search.issued_to } : {}),
    ...(search.supplier ? { supplier_id: [search.supplier] } : {}),
    ...(search.assigned ? { assigned_to: search.assigned } : {}),
    ...(search.sort ? { sort: search.sort } : {}),
  }
}

/** Reports whether the list shows less than its tab. */
export const isFiltered = (search: InboxSearch): boolean =>
  Boolean(search.q || search.due_from || search.due_to || search.issued_from || search.issued_to || search.supplier || search.assigned)
