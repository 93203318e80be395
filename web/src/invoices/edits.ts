// What people have changed in invoices and what is not saved yet. It outlives the form: a person can leave an invoice
// while an edit waits, and an edit that was refused stays until the person has resolved it.
import { hasCode, type Invoice, type InvoicePatch } from '@docledger/client'
import { useSyncExternalStore } from 'react'

import { api } from '@/api/client'
import { holdPage, isLost, whenConnected } from '@/api/connection'
import { invoiceQuery, queryClient } from '@/api/queries'

import { contains } from './contains'
import { keep } from './keep'

export interface Edit {
  /** What it changes: the path of a field, or a name of a cell or of lines. Only the latest edit of a key is kept. */
  key: string
  /** What it changes, in words. */
  label: string
  patch: InvoicePatch
  /** What the person entered. */
  value: string | null
  /** An invalid text was never sent. In a conflict, somebody else changed the invoice before. */
  state: 'waiting' | 'failed' | 'conflict' | 'invalid'
  error?: unknown
}

export type Change = Pick<Edit, 'key' | 'label' | 'patch' | 'value'>

/** Saves a change, and resolves to whether it was saved. If it was not, it is kept with the reason. */
export type Save = (change: Change) => Promise<boolean>

/** A decision was refused because a change before it is not saved. */
export class UnsavedEdits extends Error {}

export interface Unsaved {
  /** The number of the invoice, if it has one. */
  number: string | null
  edits: readonly Edit[]
  /** A decision waits or is being sent. */
  deciding: boolean
  /** Why the last decision was not made. */
  problem?: unknown
}

const nothing: Unsaved = { number: null, edits: [], deciding: false }

let all: ReadonlyMap<string, Unsaved> = new Map()
/** Who made the changes. They are not shown to the next person of the same browser tab. */
let owner: string | undefined
const queues = new Map<string, Promise<unknown>>()
/** The version that the person saw, or the one that their own last change made of it. */
const seen = new Map<string, number>()
const listeners = new Set<() => void>()

const of = (id: string): Unsaved => all.get(id) ?? nothing

function change(id: string, part: Partial<Unsaved>): void {
  const next = { ...of(id), ...part }
  const rest = [...all].filter(([each]) => each !== id)
  all = new Map(next.edits.length > 0 || next.deciding || next.problem !== undefined ? [...rest, [id, next]] : rest)
  // The first one of each queue is a call, which counts itself.
  const queued = [...all.values()].map(({ edits, deciding }) => edits.filter((each) => each.state === 'waiting').length + Number(deciding))
  holdPage(all.size > 0, queued.reduce((sum, count) => sum + Math.max(0, count - 1), 0))
  listeners.forEach((listener) => listener())
}

const replace = (id: string, old: Edit, ...by: Edit[]): void =>
  change(id, { edits: of(id).edits.flatMap((each) => (each === old ? by : [each])) })

/** Takes the version on the screen as the one that was seen, unless changes made on an older one are still under way. */
function see(invoice: Invoice): void {
  const { edits, deciding } = of(invoice.id)
  if (!deciding && !edits.some((each) => each.state === 'waiting')) {
    // The screen may not show the person's own last change yet.
    seen.set(invoice.id, Math.max(invoice.version, seen.get(invoice.id) ?? 0))
  }
}

/** Puts a change behind the earlier ones of the invoice. invoice is what the person sees. */
export function save(invoice: Invoice, what: Change): Promise<boolean> {
  const { id, invoice_number: number } = invoice
  see(invoice)
  const edit: Edit = { ...what, state: 'waiting' }
  change(id, { number, edits: [...of(id).edits.filter((each) => each.key !== what.key), edit] })
  const saved = (queues.get(id) ?? Promise.resolve()).then(() => send(id, edit))
  queues.set(id, saved)
  return saved
}

/** Keeps a text that cannot be sent, so that no decision is made as if it was not there. */
export function keepInvalid(invoice: Invoice, what: Omit<Change, 'patch'>): void {
  const { id, invoice_number: number } = invoice
  change(id, { number, edits: [...of(id).edits.filter((each) => each.key !== what.key), { ...what, patch: {}, state: 'invalid' }] })
}

/** Drops a change: the value of the service stays. */
export function discard(id: string, key: string): void {
  change(id, { edits: of(id).edits.filter((each) => each.key !== key), problem: undefined })
}

/** Drops all that is not saved of one invoice. */
export const discardAll = (id: string): void => change(id, { edits: [], problem: undefined })

/** Drops the changes of everybody but the given person, and all without one. */
export function keepOwn(person: string | undefined): void {
  if (owner !== person) {
    if (owner !== undefined) {
      [...all.keys()].forEach(discardAll)
    }
    owner = person
  }
}

async function send(id: string, edit: Edit): Promise<boolean> {
  if (!of(id).edits.includes(edit)) {
    return false // a later edit of the same key replaced it, or an earlier one met a conflict
  }
  try {
    keep(queryClient, await store(id, edit))
    replace(id, edit)
    return true
  } catch (error) {
    if (!hasCode(error, 'version_conflict')) {
      replace(id, edit, { ...edit, state: 'failed', error })
      return false
    }
    hold(id)
    void queryClient.invalidateQueries({ queryKey: invoiceQuery(id).queryKey })
    const equal = await api.getInvoice({ path: { invoice_id: id } }).then(({ data }) => { keep(queryClient, data); return contains(data, edit.patch) }, () => false)
    if (equal && of(id).edits.some((each) => each.key === edit.key && each.patch === edit.patch)) {
      discard(id, edit.key)
    }
    return equal
  }
}

/** The waiting changes were made on an invoice that was different. They are sent only if the person repeats them. */
const hold = (id: string): void =>
  change(id, { edits: of(id).edits.map((each) => (each.state === 'waiting' ? { ...each, state: 'conflict' } : each)) })

/** Sends one change. If the response is lost, the invoice shows whether the change was received. */
async function store(id: string, { patch }: Edit): Promise<Invoice> {
  const path = { invoice_id: id }
  const put = async () => {
    const { data } = await api.updateInvoice({ path, body: patch, headers: { 'If-Match': `"${seen.get(id)}"` } })
    seen.set(id, data.version)
    return data
  }
  try {
    return await put()
  } catch (error) {
    if (!isLost(error)) {
      throw error
    }
    await whenConnected()
    const { data } = await api.getInvoice({ path })
    if (data.version === seen.get(id) || !contains(data, patch)) {
      return put()
    }
    // The person has not seen what others changed besides. A later change or decision will meet a conflict.
    seen.set(id, seen.get(id)! + 1)
    return data
  }
}

/**
 * Makes a decision on the version that the person saw, after their changes before it. It resolves to whether it was
 * made. If it was not, the reason is kept, also if the person has left the invoice.
 */
export async function decide(invoice: Invoice, work: (latest: Invoice) => Promise<unknown>): Promise<boolean> {
  const { id, invoice_number: number } = invoice
  if (of(id).deciding) {
    return false
  }
  see(invoice)
  change(id, { number, deciding: true, problem: undefined })
  try {
    await queues.get(id)
    if (of(id).edits.length > 0) {
      throw new UnsavedEdits()
    }
    const latest = queryClient.getQueryData(invoiceQuery(id).queryKey) ?? invoice
    await work({ ...latest, version: seen.get(id) ?? latest.version })
    change(id, { deciding: false })
    return true
  } catch (problem) {
    change(id, { deciding: false, problem })
    if (hasCode(problem, 'version_conflict')) {
      void queryClient.invalidateQueries({ queryKey: invoiceQuery(id).queryKey })
    }
    return false
  }
}

/** Forgets why a decision was not made, when the person has seen it. */
export function forgetProblem(id: string): void {
  if (of(id).problem !== undefined) {
    change(id, { problem: undefined })
  }
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useUnsaved = (id: string): Unsaved => useSyncExternalStore(subscribe, () => of(id))

export const useAllUnsaved = (): ReadonlyMap<string, Unsaved> => useSyncExternalStore(subscribe, () => all)
