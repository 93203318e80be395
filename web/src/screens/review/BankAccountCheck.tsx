import type { Invoice } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { formatIban } from '@/format/format'
import { ConfirmAccount } from '@/screens/suppliers/ConfirmAccount'
import { supplierQuery } from '@/screens/suppliers/queries'
import '@/text/parts/review'
import '@/text/parts/suppliers'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'

interface Props {
  invoice: Invoice
  supplierId: string
  iban: string
  /** Whether the person may confirm the account. */
  may: boolean
}

/** The account of the invoice and those that are known of its supplier. */
export function BankAccountCheck({ invoice, supplierId, iban, may }: Props) {
  const { data: supplier } = useQuery(supplierQuery(supplierId))
  const [confirming, confirm] = useState(false)
  const known = supplier?.ibans.filter((a) => a.known) ?? []
  const recorded = supplier?.ibans.some((a) => a.iban === iban && !a.known) === true
  return (
    <>
      <dl className="compare">
        <div><dt>{t('review.account.stated')}</dt><dd>{formatIban(iban)}</dd></div>
        <div><dt>{t('review.account.known')}</dt><dd>{known.length > 0 ? known.map((a) => formatIban(a.iban)).join(', ') : '–'}</dd></div>
      </dl>
      <div className="row wrap">
        {may && recorded && <Button small onPress={() => confirm(true)}>{t('suppliers.confirm.do')}</Button>}
        <Link to="/suppliers/$id" params={{ id: supplierId }} className="button small plain">{t('review.account.supplier', { name: supplier?.name ?? invoice.seller?.name ?? '' })}</Link>
      </div>
      <ConfirmAccount supplierId={supplierId} iban={confirming ? iban : undefined} onClose={() => confirm(false)} />
    </>
  )
}
