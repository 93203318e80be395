import { useQuery } from '@tanstack/react-query'

import { documentQuery, invoiceQuery } from '@/api/queries'
import { Dialog } from '@/ui/overlays'
import { Skeleton } from '@/ui/parts'

import { PageImage } from './PageImage'
import { imageWidth } from './queries'
import { ReadableInvoice } from './ReadableInvoice'

/** Shows the first page of a document without leaving the list. */
export function PageDialog({ title, documentId, onClose }: { title: string; documentId: string; onClose: () => void }) {
  const { data: document } = useQuery(documentQuery(documentId))
  return (
    <Dialog title={title} isOpen onClose={onClose} wide>
      {!document
        ? <Skeleton rows={12} />
        : isStructured(document.media_type)
          ? document.invoice_id && <ReadableById id={document.invoice_id} />
          : <PageImage documentId={documentId} page={1} width={imageWidth(860)} />}
    </Dialog>
  )
}

function ReadableById({ id }: { id: string }) {
  const { data } = useQuery(invoiceQuery(id))
  return data ? <ReadableInvoice invoice={data} /> : <Skeleton rows={12} />
}

/** Reports whether a document is data without pages. */
export const isStructured = (mediaType: string): boolean => /xml/.test(mediaType)
