import type { Webhook, WebhookUpdate } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import '@/text/parts/webhooks'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { SwitchField } from '@/ui/fields'
import { notify } from '@/ui/notices'
import { ConfirmDialog, Dialog } from '@/ui/overlays'
import { ErrorBanner, Page, Section, Skeleton } from '@/ui/parts'
import { Secret } from '@/ui/Secret'

import { Deliveries } from './Deliveries'
import { WebhookFields } from './WebhookFields'
import { State } from './WebhooksScreen'

/** One webhook: what it receives, its secret and what was sent. */
export function WebhookScreen() {
  const { id } = useParams({ from: '/shell/webhooks/$id' })
  const webhook = useQuery({ queryKey: ['webhook', id], queryFn: async ({ signal }) => (await api.getWebhook({ path: { webhook_id: id }, signal })).data })
  if (webhook.isError) {
    return <div className="page"><ErrorBanner error={webhook.error} onRetry={() => void webhook.refetch()} /></div>
  }
  return webhook.data ? <WebhookPage webhook={webhook.data} /> : <Skeleton />
}

const keys = ['webhooks', 'webhook', 'deliveries']

function WebhookPage({ webhook }: { webhook: Webhook }) {
  const navigate = useNavigate()
  const path = { webhook_id: webhook.id }
  const [asking, ask] = useState<'rotate' | 'delete'>()
  const update = useChange(async (body: WebhookUpdate) => {
    await api.updateWebhook({ path, body })
    notify(t('common.saved'))
  }, ...keys)
  const rotate = useChange(() => api.rotateWebhookSecret({ path }), ...keys)
  const test = useChange(async () => {
    await api.testWebhook({ path })
    notify(t('webhooks.test.done'))
  }, ...keys)
  const remove = useChange(async () => {
    await api.deleteWebhook({ path })
    await navigate({ to: '/webhooks' })
  }, 'webhooks')
  const error = update.error ?? rotate.error ?? test.error ?? remove.error
  const secret = rotate.data?.data.secret
  return (
    <Page
      title={new URL(webhook.url).host}
      lead={<State webhook={webhook} />}
      actions={
        <>
          <Button isPending={test.isPending} onPress={() => test.mutate(undefined)}>{t('webhooks.test')}</Button>
          <Button icon="key" onPress={() => ask('rotate')}>{t('webhooks.rotate')}</Button>
          <Button look="danger" onPress={() => ask('delete')}>{t('webhooks.delete')}</Button>
        </>
      }
    >
      {error && <ErrorBanner error={error} />}
      <Section title={t('webhooks.settings')}>
        <div className="panel padded stack loose">
          <SwitchField label={t('webhooks.enabled')} hint={t('webhooks.enabled.hint')} isSelected={webhook.enabled} onChange={(enabled) => update.mutate({ enabled })} />
          <WebhookFields key={webhook.updated_at} initial={webhook} action={t('common.save')} isPending={update.isPending} onSave={update.mutate} />
        </div>
      </Section>
      <Deliveries webhookId={webhook.id} />
      <ConfirmDialog
        title={t('webhooks.rotate')}
        text={t('webhooks.rotate.text')}
        action={t('webhooks.rotate')}
        isOpen={asking === 'rotate'}
        onClose={() => ask(undefined)}
        onConfirm={() => rotate.mutate(undefined)}
      />
      <ConfirmDialog
        title={t('webhooks.delete.title')}
        text={t('webhooks.delete.text')}
        action={t('webhooks.delete')}
        isOpen={asking === 'delete'}
        onClose={() => ask(undefined)}
        onConfirm={() => remove.mutate(undefined)}
      />
      <Dialog title={t('webhooks.rotate')} isOpen={secret !== undefined} onClose={rotate.reset}>
        {secret && <Secret title={t('webhooks.secret')} hint={t('webhooks.secret.hint')} label={t('webhooks.secret.label')} secret={secret} onClose={rotate.reset} />}
      </Dialog>
    </Page>
  )
}
