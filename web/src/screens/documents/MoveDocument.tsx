import type { Document } from '@docledger/client'
import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { useEntity, useMay } from '@/layout/useEntity'
import '@/text/parts/documents'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { SelectField } from '@/ui/choices'
import { ErrorBanner } from '@/ui/parts'

/** Moves a document with its invoice to another entity. */
export function MoveDocument({ document }: { document: Document }) {
  const { entities } = useEntity()
  const mayEdit = useMay(entities.find((e) => e.id === document.entity_id), 'EDITOR')
  const others = entities.filter((e) => e.id !== document.entity_id && !e.archived)
  const [target, setTarget] = useState('')
  const move = useChange(() => api.moveDocument({ path: { document_id: document.id }, body: { entity_id: target } }), 'documents', 'invoices')
  if (!mayEdit || others.length === 0) {
    return null
  }
  return (
    <div className="stack" style={{ maxWidth: 420 }}>
      <SelectField label={t('documents.move.to')} hint={t('documents.move.hint')} options={others.map((e) => ({ value: e.id, label: e.name }))} placeholder={t('documents.move.choose')} value={target} onChange={setTarget} />
      <div><Button isDisabled={!target} isPending={move.isPending} onPress={() => move.mutate(undefined)}>{t('documents.move')}</Button></div>
      {move.isError && <ErrorBanner error={move.error} />}
    </div>
  )
}
