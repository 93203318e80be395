import type { Invoice } from '@docledger/client'
import { useState } from 'react'

import '@/text/parts/review'
import { t } from '@/text/text'
import { TextField } from '@/ui/fields'
import { Tag, errorText } from '@/ui/parts'

import type { Save } from './save'

/** The note of an invoice, saved when it is left. It can be written in every status. */
export function Note({ invoice, save, readOnly }: { invoice: Invoice; save: Save; readOnly: boolean }) {
  const [typed, setTyped] = useState<string | null>(null)
  const [state, setState] = useState<'idle' | 'saved'>('idle')
  const [error, setError] = useState<string>()
  const leave = () => {
    const next = typed?.trim() || null
    if (typed === null || next === invoice.note) {
      setTyped(null)
      return
    }
    setError(undefined)
    save({ note: next }).then(
      () => { setTyped(null); setState('saved') },
      (failure: unknown) => setError(errorText(failure)),
    )
  }
  return (
    <div className="stack">
      <TextField
        id="note"
        lines
        bare
        label={t('review.noteField')}
        placeholder={t('review.noteField')}
        value={typed ?? invoice.note ?? ''}
        onChange={(text) => { setTyped(text); setState('idle') }}
        onBlur={leave}
        error={error}
        isReadOnly={readOnly}
      />
      {state === 'saved' && <Tag tone="green">{t('review.saved')}</Tag>}
    </div>
  )
}
