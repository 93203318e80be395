import type { ApiKey, ApiKeyCreate } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { formatTime } from '@/format/format'
import { useEntity } from '@/layout/useEntity'
import '@/text/parts/administration'
import '@/text/parts/documents'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { DataTable, type Column } from '@/ui/DataTable'
import { ConfirmDialog, Dialog } from '@/ui/overlays'
import { Empty, ErrorBanner, Page, Skeleton, Tag } from '@/ui/parts'

import { NewKey } from './NewKey'

export function ApiKeysScreen() {
  const keys = useQuery({ queryKey: ['api-keys'], queryFn: ({ signal }) => api.listApiKeys({ signal }).toArray(200) })
  const { entities } = useEntity()
  const create = useChange((body: ApiKeyCreate) => api.createApiKey({ body }), 'api-keys')
  const revoke = useChange((key: ApiKey) => api.revokeApiKey({ path: { api_key_id: key.id } }), 'api-keys')
  const [adding, add] = useState(false)
  const [revoking, askToRevoke] = useState<ApiKey>()
  const close = () => {
    add(false)
    create.reset() // the secret is shown once
  }
  const columns: Column<ApiKey>[] = [
    { id: 'name', header: t('apiKeys.name'), cell: (k) => <>{k.name} <code>…{k.hint}</code></> },
    { id: 'role', header: t('apiKeys.role'), cell: (k) => label('keyRole', k.role) },
    { id: 'entities', header: t('apiKeys.entities'), cell: (k) => entityNames(k.entity_ids, entities) },
    { id: 'used', header: t('apiKeys.used'), cell: (k) => formatTime(k.last_used_at) },
    { id: 'expires', header: t('apiKeys.expires'), cell: (k) => formatTime(k.expires_at) },
    {
      id: 'actions',
      header: t('documents.actions'),
      kind: 'actions',
      cell: (k) => isValid(k)
        ? <Button small onPress={() => askToRevoke(k)}>{t('apiKeys.revoke')}</Button>
        : <Tag tone="plain">{t(k.revoked_at ? 'apiKeys.revoked' : 'apiKeys.expired')}</Tag>,
    },
  ]
  return (
    <Page title={t('nav.apiKeys')} lead={t('apiKeys.lead')} actions={<Button look="primary" icon="plus" onPress={() => add(true)}>{t('apiKeys.add')}</Button>}>
      {(keys.error ?? revoke.error) && <ErrorBanner error={keys.error ?? revoke.error} onRetry={keys.isError ? () => void keys.refetch() : undefined} />}
      {keys.isPending && <Skeleton rows={3} />}
      {keys.data?.length === 0 && <Empty title={t('apiKeys.none')}>{t('apiKeys.none.hint')}</Empty>}
      {keys.data && keys.data.length > 0 && <DataTable label={t('nav.apiKeys')} columns={columns} rows={keys.data} rowKey={(k) => k.id} />}
      <Dialog title={t('apiKeys.add')} isOpen={adding} onClose={close}>
        <NewKey entities={entities} secret={create.data?.data.secret} error={create.error} isPending={create.isPending} onCreate={create.mutate} onClose={close} />
      </Dialog>
      <ConfirmDialog
        title={t('apiKeys.revoke')}
        text={t('apiKeys.revoke.text', { name: revoking?.name ?? '' })}
        action={t('apiKeys.revoke')}
        isOpen={revoking !== undefined}
        onClose={() => askToRevoke(undefined)}
        onConfirm={() => revoking && revoke.mutate(revoking)}
      />
    </Page>
  )
}

const isValid = (key: ApiKey) => !key.revoked_at && new Date(key.expires_at) > new Date()

function entityNames(ids: string[] | null, entities: ReturnType<typeof useEntity>['entities']): string {
  if (ids === null) {
    return t('apiKeys.entities.all')
  }
  return ids.map((id) => entities.find((e) => e.id === id)?.name ?? id).join(', ')
}
