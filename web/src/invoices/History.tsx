import type { Event } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { usePeople } from '@/api/people'
import { formatTime } from '@/format/format'
import '@/text/parts/review'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { ErrorBanner, Skeleton } from '@/ui/parts'

import { historyQuery } from './notes'
import { fieldName } from './reasons'

const shownFirst = 8

/** Who did what with an invoice, newest first. */
export function History({ invoiceId }: { invoiceId: string }) {
  const [all, showAll] = useState(false)
  const nameOf = usePeople()
  const { data, error } = useQuery(historyQuery(invoiceId))
  if (error) {
    return <ErrorBanner error={error} />
  }
  if (!data) {
    return <Skeleton rows={3} />
  }
  const events = data.toReversed()
  return (
    <div className="stack">
      <ol className="history">
        {events.slice(0, all ? undefined : shownFirst).map((event) => (
          <li key={event.id}>
            <div>
              {t('history.by', { what: label('event', event.type), who: actorName(event, nameOf) })}
              {event.changes?.slice(0, 3).map((c) => (
                <span key={c.field} className="muted"> · {/\.(account|tax_rate)_id$/.test(c.field) ? fieldName(c.field) : t('history.change', { field: fieldName(c.field), from: c.from ?? '–', to: c.to ?? '–' })}</span>
              ))}
            </div>
            <time className="muted" dateTime={event.created_at}>{formatTime(event.created_at)}</time>
          </li>
        ))}
      </ol>
      {!all && events.length > shownFirst && <Button small look="quiet" onPress={() => showAll(true)}>{t('history.more', { count: events.length })}</Button>}
    </div>
  )
}

/** Who did it, in words. */
export function actorName({ actor }: Event, nameOf: (id: string | null) => string): string {
  switch (actor.type) {
    case 'SYSTEM':
      return t('history.system')
    case 'API_KEY':
      return t('history.apiKey')
    case 'ASSISTANT':
      return t('history.assistant', { name: nameOf(actor.id) })
    default:
      return nameOf(actor.id)
  }
}
