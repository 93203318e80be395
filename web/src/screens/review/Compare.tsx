import type { Invoice } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'

import { documentQuery, invoiceQuery } from '@/api/queries'
import { formatDate, formatMoney, formatTime } from '@/format/format'
import { isStructured } from '@/pages/PageDialog'
import { PageImage } from '@/pages/PageImage'
import { imageWidth } from '@/pages/queries'
import { ReadableInvoice } from '@/pages/ReadableInvoice'
import '@/text/parts/review'
import { label, t } from '@/text/text'
import { ErrorBanner, Skeleton } from '@/ui/parts'

// What the two documents say, and then what became of them, which is no difference between the documents.
const said: [string, (invoice: Invoice) => string][] = [
  ['field.invoice_number', (i) => i.invoice_number ?? '–'],
  ['field.seller.name', (i) => i.seller?.name ?? '–'],
  ['field.issue_date', (i) => formatDate(i.issue_date)],
  ['field.due_date', (i) => formatDate(i.due_date)],
  ['field.gross_total', (i) => `${formatMoney(i.gross_total)} ${i.currency ?? ''}`],
  ['field.purchase_order', (i) => i.purchase_order ?? '–'],
]

const became: typeof said = [
  ['review.compare.state', (i) => label('status', i.status)],
  ['review.compare.received', (i) => formatTime(i.created_at)],
]

/** Two invoices next to each other: their values, in which a difference is marked, and their pages. */
export function Compare({ invoice, otherId }: { invoice: Invoice; otherId: string }) {
  const other = useQuery(invoiceQuery(otherId))
  if (other.isError) {
    return <ErrorBanner error={other.error} />
  }
  if (!other.data) {
    return <Skeleton rows={10} />
  }
  const both = [invoice, other.data]
  return (
    <div className="stack loose">
      <table className="table compare-table" aria-label={t('review.compare')}>
        <thead>
          <tr>
            <th scope="col"><span className="visually-hidden">{t('review.compare.value')}</span></th>
            <th scope="col">{t('review.compare.this')}</th>
            <th scope="col">{t('review.compare.other')}</th>
          </tr>
        </thead>
        <tbody>
          {[...said, ...became].map(([key, read]) => {
            const [mine, theirs] = both.map(read)
            const different = mine !== theirs && said.some(([name]) => name === key)
            return (
              <tr key={key} data-different={different || undefined}>
                <th scope="row">{t(key as 'field.due_date')}</th>
                <td>{mine}</td>
                <td>{theirs}{different && <span className="visually-hidden"> ({t('review.compare.different')})</span>}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
      <div className="compare-pages">
        {both.map((i) => <FirstPage key={i.id} invoice={i} />)}
      </div>
    </div>
  )
}

function FirstPage({ invoice }: { invoice: Invoice }) {
  const { data: document } = useQuery(documentQuery(invoice.document_id))
  if (!document) {
    return <Skeleton rows={10} />
  }
  return isStructured(document.media_type) ? <ReadableInvoice invoice={invoice} /> : <PageImage documentId={document.id} page={1} width={imageWidth(430)} />
}
