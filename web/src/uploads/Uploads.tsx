import './uploads.css'

import type { Document } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

import { useReachable } from '@/api/connection'
import { documentQuery } from '@/api/queries'
import { formatPercent } from '@/format/format'
import { NoEntity } from '@/layout/NoEntity'
import { useEntity } from '@/layout/useEntity'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { ComboField } from '@/ui/choices'
import { Dialog } from '@/ui/overlays'
import { Tag } from '@/ui/parts'

import { droppedFiles } from './files'
import { offerFiles, useOffered } from './offer'
import { addUploads, clearUploads, retryUpload, useUploads, type Upload } from './store'

/** Accepts files that are dropped anywhere in the window, and shows the uploads. */
export function Uploads() {
  const dragging = useDropAnywhere()
  return (
    <>
      {dragging && <div className="drop-cover" aria-hidden="true"><div>{t('upload.drop')}</div></div>}
      <EntityQuestion />
      <UploadList />
    </>
  )
}

function useDropAnywhere(): boolean {
  const [dragging, setDragging] = useState(false)
  useEffect(() => {
    let depth = 0
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true
    const enter = (event: DragEvent) => { if (hasFiles(event)) { depth++; setDragging(true) } }
    const leave = (event: DragEvent) => { if (hasFiles(event) && --depth <= 0) { depth = 0; setDragging(false) } }
    const over = (event: DragEvent) => { if (hasFiles(event)) { event.preventDefault() } }
    const drop = (event: DragEvent) => {
      depth = 0
      setDragging(false)
      if (hasFiles(event)) {
        event.preventDefault()
        void droppedFiles(event.dataTransfer!).then(offerFiles)
      }
    }
    const handlers = { dragenter: enter, dragleave: leave, dragover: over, drop } as const
    for (const [name, handler] of Object.entries(handlers)) {
      window.addEventListener(name, handler as EventListener)
    }
    return () => {
      for (const [name, handler] of Object.entries(handlers)) {
        window.removeEventListener(name, handler as EventListener)
      }
    }
  }, [])
  return dragging
}

/** Sends the offered files to the chosen entity, and asks for it if there are several. */
function EntityQuestion() {
  const files = useOffered()
  const { entities, current, none } = useEntity()
  const [chosen, choose] = useState<string | null>(null)
  useEffect(() => {
    if (files.length > 0 && current) {
      addUploads(files, current.id)
      offerFiles([])
    }
  }, [files, current])
  const open = entities.filter((e) => !e.archived)
  const close = () => offerFiles([])
  if (none) {
    return (
      <Dialog title={t('upload.choose')} isOpen={files.length > 0} onClose={close}>
        <NoEntity onOpen={close} />
      </Dialog>
    )
  }
  return (
    <Dialog title={t('upload.whichEntity', { count: files.length })} isOpen={files.length > 0 && !current} onClose={close}>
      <ComboField label={t('entity.switch')} options={open.map((e) => ({ value: e.id, label: e.name }))} value={chosen} onChange={choose} />
      <div className="actions">
        <Button onPress={close}>{t('common.cancel')}</Button>
        <Button look="primary" isDisabled={chosen === null} onPress={() => { addUploads(files, chosen!); offerFiles([]) }}>{t('upload.start')}</Button>
      </div>
    </Dialog>
  )
}

function UploadList() {
  const uploads = useUploads()
  const [folded, setFolded] = useState(false)
  if (uploads.length === 0) {
    return null
  }
  const failed = uploads.filter((u) => u.state === 'failed')
  const open = uploads.filter((u) => u.state === 'waiting' || u.state === 'sending').length
  const share = uploads.reduce((sum, u) => sum + (u.state === 'failed' ? 1 : u.sent), 0) / uploads.length
  const title = open > 0 ? t('upload.progress', { open, percent: formatPercent(share) }) : t('upload.done', { count: uploads.length - failed.length })
  return (
    <section className="uploads" aria-label={t('upload.list')}>
      <header>
        <h2 className="grow" role="status">{title}</h2>
        {failed.length > 1 && <Button small onPress={() => failed.forEach((u) => retryUpload(u.id))}>{t('upload.retryAll')}</Button>}
        <Button small look="quiet" icon={folded ? 'plus' : 'menu'} label={folded ? t('upload.unfold') : t('upload.fold')} onPress={() => setFolded(!folded)} />
        <Button small look="quiet" icon="close" label={t('common.close')} onPress={clearUploads} isDisabled={open > 0} />
      </header>
      <progress value={share} max={1} aria-label={title} />
      {!folded && <ul>{uploads.map((u) => <UploadRow key={u.id} upload={u} />)}</ul>}
    </section>
  )
}

function UploadRow({ upload }: { upload: Upload }) {
  const reachable = useReachable()
  return (
    <li>
      <span className="grow ellipsis" title={upload.file.name}>{upload.file.name}</span>
      {upload.state === 'waiting' && <span className="muted">{t('upload.waiting')}</span>}
      {upload.state === 'sending' && !reachable && <Tag tone="amber" icon="offline">{t('connection.waits')}</Tag>}
      {upload.state === 'sending' && reachable && <span className="muted tabular">{formatPercent(upload.sent)}</span>}
      {upload.state === 'failed' && (
        <>
          <Tag tone="red">{t('upload.failed')}</Tag>
          <Button small onPress={() => retryUpload(upload.id)}>{t('common.retry')}</Button>
          <p className="why">{upload.error}</p>
        </>
      )}
      {upload.document && <Reading document={upload.document} />}
    </li>
  )
}

const unfinished = new Set(['UPLOADED', 'PROCESSING'])

/** What becomes of an uploaded document. */
function Reading({ document: sent }: { document: Document }) {
  const { data = sent } = useQuery({
    ...documentQuery(sent.id),
    initialData: sent,
    refetchInterval: ({ state }) => (state.data && unfinished.has(state.data.status) ? 1000 : false),
  })
  if (data.duplicate || sent.duplicate) {
    return data.invoice_id
      ? <Link to="/invoices/$id" params={{ id: data.invoice_id }}>{t('upload.known')}</Link>
      : <span className="muted">{t('upload.known')}</span>
  }
  if (data.invoice_id) {
    return <Link to="/invoices/$id" params={{ id: data.invoice_id }}>{t('upload.open')}</Link>
  }
  if (data.held_reason === 'plan_limit_reached') {
    return <Tag tone="amber">{t('upload.held')}</Tag>
  }
  if (data.failure) {
    return (
      <>
        <Tag tone="red">{data.status === 'NOT_AN_INVOICE' ? t('documentStatus.NOT_AN_INVOICE') : t('documentStatus.FAILED')}</Tag>
        <p className="why">{data.failure.message}</p>
      </>
    )
  }
  return data.status === 'SPLIT' ? <span className="muted">{t('documentStatus.SPLIT')}</span> : <span className="muted">{t('upload.reading')}</span>
}
