import './merge.css'

import type { Document } from '@docledger/client'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { PageImage } from '@/pages/PageImage'
import '@/text/parts/documents'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { CheckField } from '@/ui/fields'
import { Dialog } from '@/ui/overlays'
import { ErrorBanner } from '@/ui/parts'

/** The width of a page in the list, in pixels of the image. */
const previewWidth = 200

type Turn = 0 | 90 | 180 | 270

interface Sheet {
  key: string
  document: Document
  number: number
  rotate: Turn
  kept: boolean
}

/** Whether pages of a document can be merged. */
export const canMerge = (d: Document) =>
  (d.media_type === 'application/pdf' || d.media_type.startsWith('image/')) && d.status !== 'SPLIT' && d.status !== 'PROCESSING'

const sheetsOf = (documents: readonly Document[]): Sheet[] =>
  documents.flatMap((document) =>
    Array.from({ length: Math.max(1, document.page_count ?? 1) }, (_, n): Sheet => ({ key: `${document.id}/${n}`, document, number: n + 1, rotate: 0, kept: true })))

/** Makes one document of the pages of several: pages are ordered, turned and left out. */
export function MergeDialog({ documents, onClose }: { documents: readonly Document[]; onClose: () => void }) {
  const navigate = useNavigate()
  const [sheets, setSheets] = useState(() => sheetsOf(documents))
  const kept = sheets.filter((s) => s.kept)
  const merge = useChange(async () => {
    const parts = kept.map((s) => ({ document_id: s.document.id, pages: [{ number: s.number, rotate: s.rotate }] }))
    const { data } = await api.mergeDocuments({ body: { parts: joined(parts) } })
    onClose()
    await navigate({ to: '/documents/$id', params: { id: data.id } })
  }, 'documents', 'invoices')
  const change = (at: number, values: Partial<Sheet>) => setSheets(sheets.map((s, n) => (n === at ? { ...s, ...values } : s)))
  const move = (at: number, by: number) => {
    const next = [...sheets]
    const [moved] = next.splice(at, 1)
    next.splice(at + by, 0, moved!)
    setSheets(next)
  }
  return (
    <Dialog title={t('merge.title')} isOpen wide onClose={onClose}>
      <p className="muted">{t('merge.lead')}</p>
      <ol className="merge-pages">
        {sheets.map((s, at) => {
          const name = t('merge.page', { page: s.number, file: s.document.filename })
          return (
            <li key={s.key} className={s.kept ? undefined : 'left-out'}>
              <div className="merge-preview" data-rotate={s.rotate}><PageImage documentId={s.document.id} page={s.number} width={previewWidth} /></div>
              <CheckField label={name} isSelected={s.kept} onChange={(on) => change(at, { kept: on })} />
              <div className="row wrap">
                <Button small icon="refresh" aria-label={`${t('merge.turn')}: ${name}`} onPress={() => change(at, { rotate: (s.rotate + 90) % 360 as Turn })}>{t('merge.turn')}</Button>
                <Button small aria-label={`${t('merge.up')}: ${name}`} isDisabled={at === 0} onPress={() => move(at, -1)}>{t('merge.up')}</Button>
                <Button small aria-label={`${t('merge.down')}: ${name}`} isDisabled={at === sheets.length - 1} onPress={() => move(at, 1)}>{t('merge.down')}</Button>
              </div>
            </li>
          )
        })}
      </ol>
      {merge.isError && <ErrorBanner error={merge.error} />}
      <div className="actions">
        <Button onPress={onClose}>{t('common.cancel')}</Button>
        <Button look="primary" isPending={merge.isPending} isDisabled={kept.length === 0} onPress={() => merge.mutate(undefined)}>{t('merge.action', { count: kept.length })}</Button>
      </div>
    </Dialog>
  )
}

interface Part {
  document_id: string
  pages: { number: number; rotate: Turn }[]
}

/** Joins pages of the same document that follow each other, because a request has a limited number of parts. */
function joined(parts: Part[]): Part[] {
  const out: Part[] = []
  for (const part of parts) {
    const last = out.at(-1)
    if (last?.document_id === part.document_id) {
      last.pages.push(...part.pages)
    } else {
      out.push(part)
    }
  }
  return out
}
