import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'

import { askConsent, ConsentError } from '@/api/consent'
import { useMe } from '@/layout/useEntity'
import '@/text/parts/administration'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { Banner, errorText, Facts, Page, Skeleton } from '@/ui/parts'

/**
 * A person decides whether an assistant may act for them. The name derives from
 * the address that receives the answer, because anyone can state a name.
 */
export function ConnectAssistantScreen() {
  const { request } = useSearch({ from: '/shell/connect-assistant' })
  const me = useMe()
  const asked = useQuery({ queryKey: ['consent', request], queryFn: () => askConsent(request ?? ''), enabled: request !== undefined, staleTime: Infinity })
  const decide = useMutation({
    mutationFn: async (decision: 'ALLOW' | 'DENY') => askConsent(request ?? '', { decision, organization_id: me?.organization.id ?? '' }),
    // The server checked the address; it may belong to a program.
    onSuccess: ({ redirect_url }) => redirect_url !== null && location.assign(redirect_url),
  })
  const failed = asked.error ?? decide.error
  if (request === undefined || failed) {
    return (
      <Page title={t('connect.failed')}>
        <Banner tone="red" title={failed instanceof ConsentError ? failed.message : failed ? errorText(failed) : t('connect.incomplete')}>{t('connect.again')}</Banner>
      </Page>
    )
  }
  if (!asked.data || !me) {
    return <Page title={t('connect.title.unknown')}><Skeleton rows={3} /></Page>
  }
  if (decide.isSuccess) {
    return <Page title={t('connect.done')}><Banner tone="green" title={t('connect.close')} /></Page>
  }
  const { client_name, redirect_host, on_device } = asked.data
  return (
    <Page
      title={client_name ? t('connect.title', { name: client_name }) : t('connect.title.unknown')}
      lead={t('connect.lead')}
    >
      <Facts
        items={[
          [t('connect.organization'), me.organization.name],
          [t('connect.person'), me.user.email],
          [t('connect.receiver'), on_device ? t('connect.device', { host: redirect_host }) : redirect_host],
        ]}
      />
      <Banner tone="amber" title={t('connect.started')}>
        {me.organizations.length > 1 ? t('connect.switch') : t('connect.end')}
      </Banner>
      <div className="row wrap">
        <Button look="primary" isPending={decide.isPending} onPress={() => decide.mutate('ALLOW')}>{t('connect.allow', { name: me.organization.name })}</Button>
        <Button isDisabled={decide.isPending} onPress={() => decide.mutate('DENY')}>{t('connect.deny')}</Button>
      </div>
    </Page>
  )
}
