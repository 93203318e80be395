import { useState } from 'react'

import '@/text/parts/inbox'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/fields'
import { notify } from '@/ui/notices'
import { Dialog } from '@/ui/overlays'
import { ErrorBanner } from '@/ui/parts'

import { useAddNote } from './notes'

/** Adds a note for colleagues to an invoice. */
export function NoteDialog({ invoiceId, number, onClose }: { invoiceId: string; number: string; onClose: () => void }) {
  const [text, setText] = useState('')
  const add = useAddNote(invoiceId)
  const save = () => add.mutate(text.trim(), { onSuccess: () => { notify(t('notes.added', { number })); onClose() } })
  return (
    <Dialog title={t('notes.title', { number })} isOpen onClose={onClose}>
      <form className="stack loose" onSubmit={(event) => { event.preventDefault(); save() }}>
        {add.isError && <ErrorBanner error={add.error} />}
        <TextField label={t('notes.field')} value={text} onChange={setText} autoFocus maxLength={2000} />
        <div className="actions">
          <Button onPress={onClose}>{t('common.cancel')}</Button>
          <Button type="submit" look="primary" isDisabled={text.trim() === ''} isPending={add.isPending}>{t('notes.add')}</Button>
        </div>
      </form>
    </Dialog>
  )
}
