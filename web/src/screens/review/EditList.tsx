import type { Invoice } from '@docledger/client'

import { useReachable } from '@/api/connection'
import { discard, save, type Edit } from '@/invoices/edits'
import '@/text/parts/review'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { Banner, errorText } from '@/ui/parts'

/** The changes that are not saved and that no field shows: those of lines and of the coding, with what can be done. */
export function EditList({ invoice, edits, locked }: { invoice: Invoice; edits: readonly Edit[]; locked: boolean }) {
  const reachable = useReachable()
  // While docledger answers, a change is saved before a person can read that it waits.
  return edits.filter((edit) => edit.state !== 'waiting' || !reachable).map((edit) => (
    <Banner
      key={edit.key}
      tone={edit.state === 'waiting' ? 'amber' : 'red'}
      icon={edit.state === 'waiting' ? 'offline' : undefined}
      title={`${t(edit.state === 'waiting' ? 'connection.waits' : 'review.unsaved')}: ${edit.label}${edit.value === null ? '' : ` – ${edit.value}`}`}
      actions={edit.state !== 'waiting' && (
        <>
          {edit.state !== 'invalid' && <Button small isDisabled={locked} onPress={() => void save(invoice, edit)}>{t('common.retry')}</Button>}
          <Button small isDisabled={locked} onPress={() => discard(invoice.id, edit.key)}>{t('review.discard')}</Button>
        </>
      )}
    >
      {edit.state === 'conflict' ? t('review.changed') : edit.state === 'invalid' ? t('review.badAmount') : edit.error !== undefined && errorText(edit.error)}
    </Banner>
  ))
}
