import type { Supplier, SupplierBankAccount } from '@docledger/client'
import { useState } from 'react'

import { usePeople } from '@/api/people'
import { formatDate, formatIban, formatTime } from '@/format/format'
import '@/text/parts/suppliers'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { DataTable, type Column } from '@/ui/DataTable'
import { Empty, Section, Tag } from '@/ui/parts'

import { ConfirmAccount } from './ConfirmAccount'

/** The bank accounts of a supplier. One that is not known is confirmed by a person, with the way of checking. */
export function BankAccounts({ supplier, may }: { supplier: Supplier; may: boolean }) {
  const nameOf = usePeople()
  const [confirming, confirm] = useState<string>()
  const columns: Column<SupplierBankAccount>[] = [
    { id: 'iban', header: t('suppliers.account'), cell: (a) => <span className="tabular nowrap">{formatIban(a.iban)}</span> },
    { id: 'state', header: t('suppliers.account.state'), cell: (a) => <Tag tone={a.known ? 'green' : 'amber'}>{t(a.known ? 'suppliers.account.known' : 'suppliers.account.new')}</Tag> },
    { id: 'source', header: t('suppliers.account.source'), cell: (a) => label('accountSource', a.source) },
    { id: 'seen', header: t('suppliers.account.seen'), cell: (a) => t('suppliers.account.span', { from: formatDate(a.first_seen_at.slice(0, 10)), to: formatDate(a.last_seen_at.slice(0, 10)) }) },
    {
      id: 'confirmed',
      header: t('suppliers.account.confirmation'),
      cell: (a) => a.confirmed
        ? t('suppliers.account.confirmed', { method: label('confirmMethod', a.confirmed.method), name: nameOf(a.confirmed.by), time: formatTime(a.confirmed.at) })
        : !a.known && may && <Button small label={t('suppliers.confirm.title', { iban: formatIban(a.iban) })} onPress={() => confirm(a.iban)}>{t('suppliers.account.confirm')}</Button>,
    },
  ]
  return (
    <Section title={t('suppliers.accounts')} lead={t('suppliers.accounts.lead')}>
      <DataTable label={t('suppliers.accounts')} columns={columns} rows={supplier.ibans} rowKey={(a) => a.iban} empty={<Empty title={t('suppliers.accounts.none')} />} />
      <ConfirmAccount supplierId={supplier.id} iban={confirming} onClose={() => confirm(undefined)} />
    </Section>
  )
}
