import type { Invoice } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { usePeople } from '@/api/people'
import { formatTime } from '@/format/format'
import { historyQuery, useAddNote } from '@/invoices/notes'
import { actorName } from '@/invoices/History'
import '@/text/parts/inbox'
import '@/text/parts/review'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/fields'
import { ErrorBanner } from '@/ui/parts'

/** The notes of colleagues, oldest first, and a field for another one. They can be written in every status. */
export function Notes({ invoice, readOnly }: { invoice: Invoice; readOnly: boolean }) {
  const [typed, setTyped] = useState('')
  const nameOf = usePeople()
  const { data } = useQuery(historyQuery(invoice.id))
  const add = useAddNote(invoice.id)
  const notes = (data ?? []).filter((e) => e.type === 'invoice.note_added')
  const save = () => typed.trim() !== '' && !add.isPending && add.mutate(typed.trim(), { onSuccess: () => setTyped('') })
  return (
    <div className="stack">
      {notes.length > 0 && (
        <ul className="notes" aria-label={t('review.section.notes')}>
          {notes.map((e) => (
            <li key={e.id}>
              <span className="muted">{actorName(e, nameOf)} · <time dateTime={e.created_at}>{formatTime(e.created_at)}</time></span>
              <p>{e.data?.text}</p>
            </li>
          ))}
        </ul>
      )}
      {add.isError && <ErrorBanner error={add.error} />}
      {!readOnly && (
        <form className="row note-form" onSubmit={(event) => { event.preventDefault(); save() }}>
          <div className="grow"><TextField id="note" bare label={t('notes.field')} placeholder={t('notes.field')} value={typed} onChange={setTyped} maxLength={2000} /></div>
          <Button type="submit" isDisabled={typed.trim() === ''} isPending={add.isPending}>{t('notes.add')}</Button>
        </form>
      )}
    </div>
  )
}
