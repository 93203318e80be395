import type { Document } from '@docledger/client'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { useIsAdmin } from '@/layout/useEntity'
import '@/text/parts/documents'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { notify } from '@/ui/notices'
import { ErrorBanner, Facts, Section, Tag } from '@/ui/parts'

/** The e-mail that brought a document: its sender, how it was checked, and whether it is accepted from now on. */
export function DocumentEmail({ document }: { document: Document }) {
  const isAdmin = useIsAdmin()
  const { email } = document
  const accept = useChange(async (sender: string) => {
    await api.updateEmailIntake({ path: { entity_id: document.entity_id }, body: { accept_sender: sender } })
    notify(t('email.accepted', { sender }))
  }, 'email')
  if (!email) {
    return null
  }
  return (
    <Section
      title={t('email.title')}
      actions={isAdmin && !email.accepted && email.from !== '' && !accept.isSuccess &&
        <Button small isPending={accept.isPending} onPress={() => accept.mutate(email.from)}>{t('email.accept')}</Button>}
    >
      {accept.isError && <ErrorBanner error={accept.error} />}
      <Facts
        items={[
          [t('email.from'), email.from || t('email.noSender')],
          [t('email.subject'), email.subject],
          [t('email.state'), <Tag key="state" tone={email.accepted ? 'green' : 'amber'}>{t(email.accepted ? 'email.state.accepted' : 'email.state.unknown')}</Tag>],
          [t('email.checks'), `SPF ${email.spf} · DKIM ${email.dkim} · DMARC ${email.dmarc}`],
        ]}
      />
    </Section>
  )
}
