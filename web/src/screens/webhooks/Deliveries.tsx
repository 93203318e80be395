import type { WebhookDelivery } from '@docledger/client'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { formatCount, formatTime } from '@/format/format'
import '@/text/parts/webhooks'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { SelectField } from '@/ui/choices'
import { ShowMore } from '@/ui/ShowMore'
import { DataTable, type Column } from '@/ui/DataTable'
import { notify } from '@/ui/notices'
import { Empty, ErrorBanner, Section, Skeleton, Tag, type Tone } from '@/ui/parts'

const states = ['PENDING', 'DELIVERED', 'FAILED'] as const
const all = 'ALL'
const tones: Record<string, Tone> = { PENDING: 'amber', DELIVERED: 'green', FAILED: 'red' }
const pageSize = 50
const waitMs = 2_500

/** What was sent to a webhook, and how its receiver answered. Each delivery can be sent again. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const [state, setState] = useState<(typeof states)[number] | typeof all>(all)
  const path = { webhook_id: webhookId }
  const list = useInfiniteQuery({
    queryKey: ['deliveries', webhookId, state],
    queryFn: async ({ pageParam, signal }) =>
      (await api.listWebhookDeliveries({ path, query: { limit: pageSize, ...(state === all ? {} : { state }), ...(pageParam ? { cursor: pageParam } : {}) }, signal })).data,
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    // No event says that a delivery has ended.
    refetchInterval: ({ state: { data } }) => (data?.pages.some((p) => p.items.some((d) => d.state === 'PENDING')) ? waitMs : false),
  })
  const deliveries = list.data?.pages.flatMap((p) => p.items) ?? []
  const repeat = useChange(async (id: string) => {
    await api.retryWebhookDelivery({ path: { ...path, delivery_id: id } })
    notify(t('webhooks.delivery.repeated'))
  }, 'deliveries')
  const columns: Column<WebhookDelivery>[] = [
    { id: 'created', header: t('webhooks.delivery.created'), cell: (d) => <time dateTime={d.created_at}>{formatTime(d.created_at)}</time> },
    { id: 'event', header: t('webhooks.delivery.event'), cell: (d) => <code className="nowrap">{d.event.type}</code> },
    { id: 'state', header: t('webhooks.delivery.state'), cell: (d) => <Tag tone={tones[d.state]} icon={d.state === 'PENDING' ? 'clock' : undefined}>{label('deliveryState', d.state)}</Tag> },
    { id: 'attempts', header: t('webhooks.delivery.attempts'), kind: 'figure', cell: (d) => formatCount(d.attempts) },
    { id: 'answer', header: t('webhooks.delivery.answer'), cell: (d) => <Answer delivery={d} /> },
    { id: 'actions', header: t('webhooks.delivery.repeat'), kind: 'actions', cell: (d) => <Button small isDisabled={repeat.isPending} onPress={() => repeat.mutate(d.id)}>{t('webhooks.delivery.repeat')}</Button> },
  ]
  return (
    <Section
      title={t('webhooks.deliveries')}
      lead={t('webhooks.deliveries.lead')}
      actions={
        <SelectField
          bare
          label={t('webhooks.deliveries.filter')}
          options={[{ value: all, label: t('common.all') }, ...states.map((s) => ({ value: s, label: label('deliveryState', s) }))]}
          value={state}
          onChange={setState}
        />
      }
    >
      {(list.error ?? repeat.error) && <ErrorBanner error={list.error ?? repeat.error} />}
      {list.isPending && <Skeleton rows={3} />}
      {list.data && (
        <DataTable
          label={t('webhooks.deliveries')}
          columns={columns}
          rows={deliveries}
          rowKey={(d) => d.id}
          empty={<Empty title={t(state === all ? 'webhooks.deliveries.none' : 'webhooks.deliveries.none.filtered')} />}
        />
      )}
      <ShowMore list={list} count={deliveries.length} />
    </Section>
  )
}

function Answer({ delivery }: { delivery: WebhookDelivery }) {
  const next = delivery.state === 'PENDING' && delivery.next_attempt_at !== null && delivery.attempts > 0
    ? t('webhooks.delivery.next', { time: formatTime(delivery.next_attempt_at) })
    : undefined
  const answer = delivery.failure ?? delivery.response_status?.toString()
  return <span className="breakable">{[answer, next].filter(Boolean).join(' · ') || '–'}</span>
}
