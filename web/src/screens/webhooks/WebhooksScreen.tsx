import type { Webhook } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { formatTime } from '@/format/format'
import { useEntity } from '@/layout/useEntity'
import '@/text/parts/webhooks'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { DataTable, type Column } from '@/ui/DataTable'
import { Dialog } from '@/ui/overlays'
import { Empty, ErrorBanner, Page, Skeleton, Tag } from '@/ui/parts'
import { Secret } from '@/ui/Secret'

import { WebhookFields, type WebhookValues } from './WebhookFields'

const most = 200

export function WebhooksScreen() {
  const webhooks = useQuery({ queryKey: ['webhooks'], queryFn: ({ signal }) => api.listWebhooks({ signal }).toArray(most) })
  const { entities } = useEntity()
  const [adding, add] = useState(false)
  const create = useChange(({ entity_ids, ...rest }: WebhookValues) => api.createWebhook({ body: { ...rest, ...(entity_ids ? { entity_ids } : {}) } }), 'webhooks')
  const close = () => {
    add(false)
    create.reset() // the secret is shown once
  }
  const columns: Column<Webhook>[] = [
    { id: 'url', header: t('webhooks.url'), cell: (w) => <Link to="/webhooks/$id" params={{ id: w.id }} className="breakable">{w.url}</Link> },
    { id: 'types', header: t('webhooks.types'), cell: (w) => <code>{w.types.join(', ')}</code> },
    {
      id: 'entities',
      header: t('webhooks.entities'),
      cell: (w) => w.entity_ids === null ? t('webhooks.entities.all') : w.entity_ids.map((id) => entities.find((e) => e.id === id)?.name ?? id).join(', '),
    },
    { id: 'state', header: t('webhooks.state'), cell: (w) => <State webhook={w} /> },
  ]
  const secret = create.data?.data.secret
  return (
    <Page title={t('nav.webhooks')} lead={t('webhooks.lead')} actions={<Button look="primary" icon="plus" onPress={() => add(true)}>{t('webhooks.add')}</Button>}>
      {webhooks.isError && <ErrorBanner error={webhooks.error} onRetry={() => void webhooks.refetch()} />}
      {webhooks.isPending && <Skeleton rows={3} />}
      {webhooks.data && <DataTable label={t('nav.webhooks')} columns={columns} rows={webhooks.data} rowKey={(w) => w.id} empty={<Empty title={t('webhooks.none')}><p>{t('webhooks.none.hint')}</p></Empty>} />}
      <Dialog title={t('webhooks.add')} isOpen={adding} onClose={close}>
        {secret
          ? <Secret title={t('webhooks.secret')} hint={t('webhooks.secret.hint')} label={t('webhooks.secret.label')} secret={secret} onClose={close} />
          : (
            <WebhookFields initial={{ url: '', types: [], entity_ids: null }} action={t('common.add')} isPending={create.isPending} onSave={create.mutate}>
              {create.isError && <ErrorBanner error={create.error} />}
            </WebhookFields>
          )}
      </Dialog>
    </Page>
  )
}

/** Whether a webhook works, and since when not. */
export function State({ webhook }: { webhook: Webhook }) {
  if (!webhook.enabled) {
    return webhook.disabled_at === null
      ? <Tag tone="plain" icon="block">{t('webhooks.off')}</Tag>
      : <Tag tone="red">{t('webhooks.disabled', { time: formatTime(webhook.disabled_at) })}</Tag>
  }
  return webhook.failing_since === null
    ? <Tag tone="green">{t('webhooks.on')}</Tag>
    : <Tag tone="amber">{t('webhooks.failing', { time: formatTime(webhook.failing_since) })}</Tag>
}
