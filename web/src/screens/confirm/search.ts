/** What the address of a confirmation asks for. */
export interface Confirmation {
  action?: 'approve' | 'reject' | 'sync'
  /** The invoices, as idsOf reads them. */
  items?: string
  reason?: string
}

const actions = ['approve', 'reject', 'sync'] as const

/** Reads the query of an address. Unknown values are left out. */
export function readConfirmation(search: Record<string, unknown>): Confirmation {
  const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : undefined)
  return { action: actions.find((a) => a === search.action), items: text(search.items), reason: text(search.reason) }
}

/** The ids of the items: UUIDs of 22 characters in base64url, separated by points. Wrong ones are left out. */
export function idsOf(items: string | undefined): string[] {
  const ids = (items ?? '').split('.').flatMap((item) => {
    if (!/^[\w-]{22}$/.test(item)) {
      return []
    }
    const bytes = Uint8Array.from(atob(item.replace(/-/g, '+').replace(/_/g, '/') + '=='), (c) => c.charCodeAt(0))
    const hex = Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')
    return [hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')]
  })
  return [...new Set(ids)].slice(0, 200)
}
