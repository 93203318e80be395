import './review.css'

import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { documentQuery, invoiceQuery } from '@/api/queries'
import { ErrorBanner, Skeleton } from '@/ui/parts'

import { ReviewForm } from './ReviewForm'
import { usePrefetch, useQueue } from './useQueue'

/** One invoice of the filtered list, with its page. */
export function ReviewScreen() {
  const { id } = useParams({ from: '/shell/invoices/$id' })
  const search = useSearch({ from: '/shell/invoices/$id' })
  const navigate = useNavigate()
  const queue = useQueue(search, id)
  const [width, setWidth] = useState(0)
  usePrefetch(queue.next, width)
  const invoice = useQuery(invoiceQuery(id))
  const document = useQuery({ ...documentQuery(invoice.data?.document_id ?? ''), enabled: invoice.data !== undefined })
  const open = (target: string | undefined) =>
    void (target === undefined ? navigate({ to: '/inbox', search }) : navigate({ to: '/invoices/$id', params: { id: target }, search }))
  const error = invoice.error ?? document.error
  if (error) {
    return <div className="page"><ErrorBanner error={error} onRetry={() => void invoice.refetch()} /></div>
  }
  if (!invoice.data || !document.data) {
    return <Skeleton rows={14} />
  }
  return <ReviewForm key={id} invoice={invoice.data} document={document.data} queue={queue} search={search} onOpen={open} onWidth={setWidth} />
}
