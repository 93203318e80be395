// Keeps what is shown up to date. The event log says what changed; the queries
// of what changed are read again. There is no reload and no other polling.
import type { QueryClient } from '@tanstack/react-query'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

import { api } from './client'
import { connected } from './connection'

const intervalMs = 2_500
const pausedIntervalMs = 20_000
const overlapMs = 5_000

/** The queries that an event of a subject changes. */
const affected: Record<string, string[]> = {
  document: ['documents', 'attention', 'invoices'],
  invoice: ['invoices', 'attention', 'suppliers', 'overview'],
  integration: ['integrations', 'integration', 'attention'],
  supplier: ['suppliers', 'attention'],
  entity: ['entities'],
  settings: ['settings'],
  member: ['members'],
  webhook: ['webhooks', 'attention'],
  api_key: ['api-keys'],
  organization: ['billing', 'me'],
}

async function follow(cache: QueryClient, signal: AbortSignal): Promise<void> {
  let after: string | undefined
  const from = new Date(Date.now() - overlapMs).toISOString()
  while (!signal.aborted) {
    try {
      await connected()
      const { data } = await api.listEvents({ query: { created_from: from, limit: 200, ...(after ? { after } : {}) }, signal })
      after = data.next_cursor ?? after
      const keys = new Set<string>()
      for (const event of data.items) {
        void cache.invalidateQueries({ queryKey: [event.subject.type, event.subject.id] })
        affected[event.subject.type]?.forEach((key) => keys.add(key))
      }
      keys.forEach((key) => void cache.invalidateQueries({ queryKey: [key] }))
    } catch {
      // The next read continues from the same place.
    }
    await pause(document.hidden ? pausedIntervalMs : intervalMs, signal)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => { clearTimeout(timer); resolve() }, { once: true })
  })
}

/** Follows the event log while the application is shown. */
export function useLive(): void {
  const cache = useQueryClient()
  useEffect(() => {
    const stop = new AbortController()
    void follow(cache, stop.signal)
    return () => stop.abort()
  }, [cache])
}
