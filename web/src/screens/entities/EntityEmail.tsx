import type { EmailIntake, EmailIntakeUpdate } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { emailQuery } from '@/api/queries'
import { useIsAdmin } from '@/layout/useEntity'
import '@/text/parts/administration'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { EmailAddress } from '@/ui/EmailAddress'
import { SwitchField, TextField } from '@/ui/fields'
import { notify } from '@/ui/notices'
import { ConfirmDialog } from '@/ui/overlays'
import { ErrorBanner, Section } from '@/ui/parts'

/** How an entity receives e-mail: its address and the accepted senders. */
export function EntityEmail({ entityId }: { entityId: string }) {
  const { data } = useQuery(emailQuery(entityId))
  return data?.address ? <Rules key={JSON.stringify(data)} intake={data} address={data.address} /> : null
}

function Rules({ intake, address }: { intake: EmailIntake; address: string }) {
  const isAdmin = useIsAdmin()
  const [senders, setSenders] = useState(intake.senders.join('\n'))
  const [replacing, replace] = useState(false)
  const update = useChange(async (body: EmailIntakeUpdate) => {
    await api.updateEmailIntake({ path: { entity_id: intake.entity_id }, body })
    notify(t('common.saved'))
  }, 'email')
  return (
    <Section title={t('entities.email')} lead={t('entities.email.lead')} actions={isAdmin && <Button small onPress={() => replace(true)}>{t('entities.email.replace')}</Button>}>
      <EmailAddress address={address} />
      {update.isError && <ErrorBanner error={update.error} />}
      <form className="form" onSubmit={(event) => { event.preventDefault(); update.mutate({ senders: senders.split('\n').map((l) => l.trim()).filter(Boolean) }) }}>
        <TextField lines label={t('entities.email.senders')} hint={t('entities.email.senders.hint')} value={senders} onChange={setSenders} isReadOnly={!isAdmin} />
        <SwitchField label={t('entities.email.only')} hint={t('entities.email.only.hint')} isSelected={intake.only_senders} onChange={(on) => update.mutate({ only_senders: on })} isDisabled={!isAdmin} />
        {intake.answer_senders !== null && <SwitchField label={t('entities.email.answer')} hint={t('entities.email.answer.hint')} isSelected={intake.answer_senders} onChange={(on) => update.mutate({ answer_senders: on })} isDisabled={!isAdmin} />}
        {isAdmin && <div className="wide"><Button type="submit" isPending={update.isPending}>{t('common.save')}</Button></div>}
      </form>
      <ConfirmDialog
        title={t('entities.email.replace.title')}
        text={t('entities.email.replace.text')}
        action={t('entities.email.replace')}
        isOpen={replacing}
        onClose={() => replace(false)}
        onConfirm={() => update.mutate({ new_address: true })}
      />
    </Section>
  )
}
