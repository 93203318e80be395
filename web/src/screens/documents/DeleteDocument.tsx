import type { Document } from '@docledger/client'
import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { useEntity } from '@/layout/useEntity'
import '@/text/parts/documents'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/fields'
import { notify } from '@/ui/notices'
import { Dialog } from '@/ui/overlays'
import { Banner, ErrorBanner } from '@/ui/parts'

interface Props {
  document: Pick<Document, 'id' | 'filename' | 'entity_id'>
  isOpen: boolean
  onClose: () => void
  onDeleted: () => void
}

/** States what the deletion of a document removes and keeps, and deletes it after a confirmation. */
export function DeleteDocument({ document, isOpen, onClose, onDeleted }: Props) {
  const [reason, setReason] = useState('')
  const held = useEntity().entities.find((e) => e.id === document.entity_id)?.legal_hold === true
  const remove = useChange(async () => {
    await api.deleteDocument({ path: { document_id: document.id }, query: reason.trim() === '' ? {} : { reason: reason.trim() } })
    onClose()
    notify(t('documents.deleted', { name: document.filename }))
    onDeleted()
  }, 'documents', 'invoices', 'attention')
  const close = () => {
    remove.reset()
    setReason('')
    onClose()
  }
  return (
    <Dialog title={t('documents.delete.title', { name: document.filename })} isOpen={isOpen} onClose={close}>
      <form className="stack loose" onSubmit={(event) => { event.preventDefault(); remove.mutate(undefined) }}>
        {held
          ? <Banner tone="amber" title={t('documents.delete.held')} />
          : (
            <>
              <ul className="consequences">
                <li>{t('documents.delete.removes')}</li>
                <li>{t('documents.delete.keeps')}</li>
                <li>{t('documents.delete.ledger')}</li>
              </ul>
              <TextField label={t('documents.delete.reason')} hint={t('documents.delete.reason.hint')} maxLength={500} value={reason} onChange={setReason} autoFocus />
            </>
          )}
        {remove.isError && <ErrorBanner error={remove.error} />}
        <div className="actions">
          <Button onPress={close}>{t('common.cancel')}</Button>
          {!held && <Button type="submit" look="danger" isPending={remove.isPending}>{t('documents.delete')}</Button>}
        </div>
      </form>
    </Dialog>
  )
}
