import type { Integration, Provider } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { integrationsQuery } from '@/api/queries'
import { formatAge } from '@/format/format'
import { NoEntity } from '@/layout/NoEntity'
import { useEntity, useIsAdmin } from '@/layout/useEntity'
import '@/text/parts/documents'
import '@/text/parts/integrations'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { ComboField } from '@/ui/choices'
import { DataTable, type Column } from '@/ui/DataTable'
import { Dialog } from '@/ui/overlays'
import { Empty, ErrorBanner, Page, Section, Skeleton, Tag, type Tone } from '@/ui/parts'

import { returnUrl } from './consent'

const types = ['ACCOUNTING', 'TRIGGER'] as const
const tones: Record<string, Tone> = { ACTIVE: 'green', ERROR: 'red', PENDING: 'amber' }

export function IntegrationsScreen() {
  const { data: providers, error, refetch } = useQuery(integrationsQuery)
  return (
    <Page title={t('nav.integrations')} lead={t('integrations.lead')}>
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {!providers && !error && <Skeleton />}
      {providers && types.map((type) => (
        <Section key={type} title={t(`integrations.${type}`)}>
          {providers.filter((p) => p.type === type).map((p) => <ProviderPanel key={p.provider} provider={p} />)}
        </Section>
      ))}
    </Page>
  )
}

function ProviderPanel({ provider }: { provider: Provider }) {
  const { entities, entityId } = useEntity()
  const isAdmin = useIsAdmin()
  const shown = provider.integrations.filter((i) => i.status !== 'DISCONNECTED' && (!entityId || i.entity_id === entityId))
  const columns: Column<Integration>[] = [
    { id: 'entity', header: t('integrations.entity'), cell: (i) => <Link to="/integrations/$id" params={{ id: i.id }}>{entities.find((e) => e.id === i.entity_id)?.name ?? '–'}</Link> },
    { id: 'to', header: t('integrations.connectedTo'), cell: (i) => i.public_metadata?.organization_name ?? placesOf(i) },
    { id: 'state', header: t('integrations.state'), cell: (i) => <IntegrationState integration={i} /> },
    { id: 'activity', header: t('integrations.lastActivity'), cell: (i) => (i.last_activity_at ? formatAge(i.last_activity_at) : '–') },
    {
      id: 'actions',
      header: t('documents.actions'),
      kind: 'actions',
      cell: (i) => <Link to="/integrations/$id" params={{ id: i.id }} className="button small plain">{t(i.status === 'PENDING' && isAdmin ? 'integrations.finish' : 'integrations.open')}</Link>,
    },
  ]
  return (
    <div className="stack">
      <div className="row">
        <h3 className="grow">{label('provider', provider.provider)}</h3>
        {provider.available && isAdmin && <ConnectButton provider={provider} another={shown.length > 0} />}
      </div>
      {shown.length > 0
        ? <DataTable label={label('provider', provider.provider)} columns={columns} rows={shown} rowKey={(i) => i.id} />
        : <div className="panel"><Empty title={t('integrations.none')}>{!provider.available && <p>{t('integrations.unavailable')}</p>}</Empty></div>}
    </div>
  )
}

export function IntegrationState({ integration }: { integration: Pick<Integration, 'status' | 'status_reason'> }) {
  return (
    <span>
      <Tag tone={tones[integration.status] ?? 'plain'}>{label('integrationStatus', integration.status)}</Tag>
      {integration.status === 'ERROR' && integration.status_reason && <span className="muted"> · {integration.status_reason.message}</span>}
    </span>
  )
}

/** Names the watched folders of a document store. */
function placesOf(integration: Integration): string {
  const folders = integration.public_metadata?.directories
  if (!folders) {
    return '–'
  }
  return folders.length > 0 ? folders.join(', ') : t('integrations.allFolders')
}

/** Begins a consent for an entity. The wizard continues on the page of the integration. */
function ConnectButton({ provider, another }: { provider: Provider; another: boolean }) {
  const { entities, current, none } = useEntity()
  const [asking, ask] = useState(false)
  const [entity, setEntity] = useState<string | null>(null)
  const open = entities.filter((e) => !e.archived)
  const begin = useChange(async (entityId: string) => {
    const { data } = await api.authorizeIntegration({
      body: { entity_id: entityId, provider: provider.provider as 'ACCOUNTING_A', redirect_url: returnUrl() },
    })
    location.assign(data.authorization_url)
  }, 'integrations')
  return (
    <>
      <Button isPending={begin.isPending} onPress={() => (current ? begin.mutate(current.id) : ask(true))}>
        {t(another ? 'integrations.connectAnother' : 'integrations.connect')}
      </Button>
      {begin.isError && !asking && <ErrorBanner error={begin.error} />}
      <Dialog title={t('integrations.chooseEntity')} isOpen={asking} onClose={() => ask(false)}>
        {none
          ? <NoEntity />
          : (
            <>
              <ComboField label={t('integrations.entity')} options={open.map((e) => ({ value: e.id, label: e.name }))} value={entity} onChange={setEntity} />
              <p className="muted">{t('wizard.consent.text')}</p>
              {begin.isError && <ErrorBanner error={begin.error} />}
              <div className="actions">
                <Button onPress={() => ask(false)}>{t('common.cancel')}</Button>
                <Button look="primary" isDisabled={entity === null} onPress={() => begin.mutate(entity!)}>{t('wizard.consent.go')}</Button>
              </div>
            </>
          )}
      </Dialog>
    </>
  )
}
