import type { Integration } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { integrationsQuery } from '@/api/queries'
import { useEntity, useIsAdmin } from '@/layout/useEntity'
import '@/text/parts/integrations'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { ConfirmDialog } from '@/ui/overlays'
import { Banner, Empty, ErrorBanner, Page, Skeleton } from '@/ui/parts'

import { Accounts } from './Accounts'
import { AccountingWizard } from './AccountingWizard'
import { Companies } from './Companies'
import { returnUrl } from './consent'
import { SkippedFiles } from './SkippedFiles'
import { StatusReport } from './StatusReport'
import { Syncs } from './Syncs'
import { TriggerWizard } from './TriggerWizard'

/** One integration: the wizard until it is set up, then its state and data. */
export function IntegrationScreen() {
  const { id } = useParams({ from: '/shell/integrations/$id' })
  const { data: providers, error, refetch } = useQuery(integrationsQuery)
  if (error) {
    return <div className="page"><ErrorBanner error={error} onRetry={() => void refetch()} /></div>
  }
  if (!providers) {
    return <Skeleton />
  }
  const integration = providers.flatMap((p) => p.integrations).find((i) => i.id === id)
  return integration ? <IntegrationPage integration={integration} /> : <div className="page"><Empty title={t('error.notFound.title')} /></div>
}

const needsConsent = new Set(['consent_missing', 'consent_refused'])

function IntegrationPage({ integration }: { integration: Integration }) {
  const { entities } = useEntity()
  const isAdmin = useIsAdmin()
  const navigate = useNavigate()
  const [ending, end] = useState(false)
  const path = { integration_id: integration.id }
  const reconnect = useChange(async () => {
    const { data } = await api.connectIntegration({ path, body: { redirect_url: returnUrl() } })
    location.assign(data.authorization_url)
  }, 'integrations')
  const disconnect = useChange(
    () => api.disconnectIntegration({ path: { integrationId: integration.id } }),
    'integrations', 'integration',
  )
  const entity = entities.find((e) => e.id === integration.entity_id)?.name ?? '–'
  const provider = label('provider', integration.provider)
  const settingUp = isAdmin && integration.status === 'PENDING' && !needsConsent.has(integration.status_reason?.code ?? '')
  const accounting = integration.type === 'ACCOUNTING'
  return (
    <Page
      title={t('integration.title', { provider, entity })}
      actions={isAdmin && integration.status !== 'DISCONNECTED' && (
        <>
          <Button icon="refresh" isPending={reconnect.isPending} onPress={() => reconnect.mutate(undefined)}>{t('integrations.reconnect')}</Button>
          <Button look="danger" onPress={() => end(true)}>{t('integrations.disconnect')}</Button>
        </>
      )}
    >
      {(reconnect.error ?? disconnect.error) && <ErrorBanner error={reconnect.error ?? disconnect.error} />}
      {integration.status_reason && integration.status !== 'ACTIVE' && (
        <Banner
          tone={integration.status === 'ERROR' ? 'red' : 'amber'}
          title={integration.status_reason.message}
          actions={isAdmin && integration.status === 'ERROR' && <Button small look="primary" onPress={() => reconnect.mutate(undefined)}>{t('integrations.reconnect')}</Button>}
        />
      )}
      {settingUp && (accounting ? <AccountingWizard integration={integration} /> : <TriggerWizard integration={integration} />)}
      {integration.status !== 'PENDING' && <StatusReport integration={integration} />}
      {integration.status !== 'PENDING' && !accounting && <SkippedFiles integrationId={integration.id} />}
      {integration.status === 'ACTIVE' && accounting && (
        <>
          {isAdmin && entities.length > 1 && <Companies integration={integration} />}
          <Syncs entityId={integration.entity_id} />
          <Accounts integrationId={integration.id} />
        </>
      )}
      <ConfirmDialog
        title={t('integrations.disconnect.title', { name: provider })}
        text={t('integrations.disconnect.text')}
        action={t('integrations.disconnect')}
        isOpen={ending}
        onClose={() => end(false)}
        onConfirm={() => disconnect.mutate(undefined, { onSuccess: () => void navigate({ to: '/integrations' }) })}
      />
    </Page>
  )
}
