import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { formatIban } from '@/format/format'
import '@/text/parts/suppliers'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { RadioField } from '@/ui/choices'
import { notify } from '@/ui/notices'
import { Dialog } from '@/ui/overlays'
import { ErrorBanner } from '@/ui/parts'

const methods = ['phone', 'letter', 'other'] as const

interface Props {
  supplierId: string
  /** The account to confirm; without one the dialog is closed. */
  iban: string | undefined
  onClose: () => void
}

/** Asks how a person checked a bank account. There is no preselected answer, so that each confirmation is a decision. */
export function ConfirmAccount({ supplierId, iban, onClose }: Props) {
  const [method, setMethod] = useState<(typeof methods)[number] | null>(null)
  const confirm = useChange(async () => {
    await api.confirmBankAccount({ path: { supplier_id: supplierId }, body: { iban: iban!, method: method! } })
    notify(t('suppliers.confirm.done'))
    close()
  }, 'suppliers', 'supplier', 'invoices', 'invoice', 'attention')
  const close = () => {
    setMethod(null)
    confirm.reset()
    onClose()
  }
  return (
    <Dialog title={t('suppliers.confirm.title', { iban: formatIban(iban ?? '') })} isOpen={iban !== undefined} onClose={close}>
      <form className="stack loose" onSubmit={(event) => { event.preventDefault(); confirm.mutate(undefined) }}>
        {confirm.isError && <ErrorBanner error={confirm.error} />}
        <p>{t('suppliers.confirm.text')}</p>
        <RadioField label={t('suppliers.confirm.how')} options={methods.map((m) => ({ value: m, label: label('confirmMethod', m) }))} value={method} onChange={setMethod} />
        <div className="actions">
          <Button onPress={close}>{t('common.cancel')}</Button>
          <Button type="submit" look="primary" isDisabled={method === null} isPending={confirm.isPending}>{t('suppliers.confirm.do')}</Button>
        </div>
      </form>
    </Dialog>
  )
}
