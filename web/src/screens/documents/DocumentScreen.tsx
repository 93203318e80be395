import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'

import { api } from '@/api/client'
import { documentQuery } from '@/api/queries'
import { formatBytes, formatTime } from '@/format/format'
import { download } from '@/invoices/download'
import { useIsAdmin } from '@/layout/useEntity'
import { isStructured } from '@/pages/PageDialog'
import { PageImage } from '@/pages/PageImage'
import { imageWidth } from '@/pages/queries'
import '@/text/parts/documents'
import '@/text/parts/review'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { ErrorBanner, Facts, Page, Skeleton } from '@/ui/parts'

import { DeleteDocument } from './DeleteDocument'
import { DocumentActions } from './DocumentActions'
import { DocumentEmail } from './DocumentEmail'
import { DocumentState } from './DocumentsScreen'
import { MoveDocument } from './MoveDocument'

/** One received file, also one that is no invoice. */
export function DocumentScreen() {
  const { id } = useParams({ from: '/shell/documents/$id' })
  const isAdmin = useIsAdmin()
  const navigate = useNavigate()
  const [deleting, askDelete] = useState(false)
  const { data, error, refetch } = useQuery(documentQuery(id))
  if (error) {
    return <div className="page"><ErrorBanner error={error} onRetry={() => void refetch()} /></div>
  }
  if (!data) {
    return <Skeleton />
  }
  return (
    <Page
      title={data.filename}
      lead={<DocumentState document={data} />}
      actions={
        <>
          <DocumentActions document={data} />
          <Button icon="download" onPress={() => void download(() => api.getDocumentContent({ path: { document_id: id } }), data.filename)}>{t('review.original.download')}</Button>
          {isAdmin && <Button look="danger" onPress={() => askDelete(true)}>{t('documents.delete')}</Button>}
        </>
      }
    >
      <Facts
        items={[
          [t('documents.received'), formatTime(data.created_at)],
          [t('documents.source'), label('documentSource', data.source) + (data.source_path ? ` · ${data.source_path}` : '')],
          [t('documents.size'), formatBytes(data.size_bytes)],
          [t('documents.pages'), data.page_count ?? '–'],
          [t('documents.sha256'), <code key="sum">{data.sha256}</code>],
        ]}
      />
      <MoveDocument document={data} />
      <DocumentEmail document={data} />
      {!isStructured(data.media_type) && (data.page_count ?? 0) > 0 && <div style={{ maxWidth: 760 }}><PageImage documentId={id} page={1} width={imageWidth(760)} /></div>}
      <DeleteDocument document={data} isOpen={deleting} onClose={() => askDelete(false)} onDeleted={() => void navigate({ to: '/documents' })} />
    </Page>
  )
}
