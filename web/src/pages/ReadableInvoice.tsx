import type { Invoice, Party } from '@docledger/client'

import { formatDate, formatDecimal, formatMoney } from '@/format/format'
import '@/text/parts/review'
import { label, t, type MessageKey } from '@/text/text'

interface Props {
  invoice: Invoice
  /** The field to emphasize, by its path. */
  active?: string
  onHover?: (path: string | undefined) => void
}

/** An electronic invoice as a page that a person can read. It is made from the data and marked as such. */
export function ReadableInvoice({ invoice, active, onHover }: Props) {
  const cell = (path: string, text: string | null | undefined) => (
    <span data-field={path} data-active={active === path || undefined} onMouseEnter={() => onHover?.(path)} onMouseLeave={() => onHover?.(undefined)}>
      {text || '–'}
    </span>
  )
  const line = (key: MessageKey, path: string, text: string | null | undefined) =>
    text ? <div key={path}><dt>{t(key)}</dt><dd>{cell(path, text)}</dd></div> : null
  return (
    <article className="readable" aria-label={t('readable.label')}>
      <p className="readable-mark">{t('readable.mark')}</p>
      <header>
        <div>
          <h2>{label('documentType', invoice.document_type)} {cell('invoice_number', invoice.invoice_number)}</h2>
          <dl>
            {line('field.issue_date', 'issue_date', formatDate(invoice.issue_date, ''))}
            {line('field.due_date', 'due_date', formatDate(invoice.due_date, ''))}
            {line('field.delivery_date', 'delivery_date', formatDate(invoice.delivery_date, ''))}
            {line('field.purchase_order', 'purchase_order', invoice.purchase_order)}
          </dl>
        </div>
        <PartyBlock title={t('field.seller.name')} path="seller" party={invoice.seller} cell={cell} />
        <PartyBlock title={t('field.buyer.name')} path="buyer" party={invoice.buyer} cell={cell} />
      </header>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('line.description')}</th>
            <th scope="col" className="figure">{t('line.quantity')}</th>
            <th scope="col" className="figure">{t('line.unit_price')}</th>
            <th scope="col" className="figure">{t('line.tax_rate')}</th>
            <th scope="col" className="figure">{t('line.net_amount')}</th>
          </tr>
        </thead>
        <tbody>
          {invoice.lines.map((l) => (
            <tr key={l.id}>
              <td>{l.description ?? '–'}</td>
              <td className="figure">{formatDecimal(l.quantity)} {l.unit}</td>
              <td className="figure">{formatDecimal(l.unit_price, 2)}</td>
              <td className="figure">{l.tax_rate === null ? '–' : `${formatDecimal(l.tax_rate)} %`}</td>
              <td className="figure">{formatMoney(l.net_amount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {invoice.lines_total > invoice.lines.length && <p className="muted">{t('line.others', { count: invoice.lines_total - invoice.lines.length })}</p>}
      <dl className="readable-totals">
        {line('field.net_total', 'net_total', formatMoney(invoice.net_total))}
        {invoice.taxes.map((tax, i) => (
          <div key={i}><dt>{t('readable.tax', { rate: formatDecimal(tax.rate), base: formatMoney(tax.base) })}</dt><dd>{formatMoney(tax.amount)}</dd></div>
        ))}
        {line('field.tax_total', 'tax_total', formatMoney(invoice.tax_total))}
        <div className="total"><dt>{t('field.gross_total')} {invoice.currency}</dt><dd>{cell('gross_total', formatMoney(invoice.gross_total))}</dd></div>
        {invoice.prepaid_total && line('field.prepaid_total', 'prepaid_total', formatMoney(invoice.prepaid_total))}
        {line('field.amount_due', 'amount_due', formatMoney(invoice.amount_due))}
      </dl>
      <dl>
        {line('field.payment.iban', 'payment.iban', invoice.payment?.iban)}
        {line('field.payment.bic', 'payment.bic', invoice.payment?.bic)}
        {line('field.payment.reference', 'payment.reference', invoice.payment?.reference)}
        {line('field.payment.terms', 'payment.terms', invoice.payment?.terms)}
      </dl>
    </article>
  )
}

interface BlockProps {
  title: string
  path: string
  party: Party
  cell: (path: string, text: string | null | undefined) => React.ReactNode
}

function PartyBlock({ title, path, party, cell }: BlockProps) {
  const a = party?.address
  const place = [a?.line1, a?.line2, a?.line3, [a?.postal_code, a?.city].filter(Boolean).join(' '), a?.country].filter(Boolean)
  return (
    <div>
      <h3>{title}</h3>
      <p>{cell(`${path}.name`, party?.name)}</p>
      {place.map((text, i) => <p key={i}>{text}</p>)}
      {party?.tax_id && <p>{t('field.seller.tax_id')} {cell(`${path}.tax_id`, party.tax_id)}</p>}
    </div>
  )
}
