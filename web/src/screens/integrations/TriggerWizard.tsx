import type { Integration, TriggerSource } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Radio, RadioGroup } from 'react-aria-components'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import '@/text/parts/integrations'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/fields'
import { Empty, ErrorBanner, Section, Skeleton } from '@/ui/parts'

import { FolderTree } from './FolderTree'

/** The last steps of a document store: source, sub-source, and the folders in it. */
export function TriggerWizard({ integration }: { integration: Integration }) {
  const [source, setSource] = useState<string>()
  const [subSource, setSubSource] = useState<string>()
  const [chosen, setChosen] = useState<string[]>([])
  const [others, setOthers] = useState('')
  const path = { integrationId: integration.id }
  const query = { entity_id: integration.entity_id }
  const sources = useQuery({
    queryKey: ['integration', integration.id, 'sources'],
    queryFn: ({ signal }) => api.listTriggerSources({ path, query, signal }).toArray(),
  })
  const subSources = useQuery({
    queryKey: ['integration', integration.id, 'sub-sources', source],
    enabled: source !== undefined,
    queryFn: ({ signal }) => api.listTriggerSubSources({ path: { ...path, sourceId: source! }, query, signal }).toArray(),
  })
  const activate = useChange(
    () => api.setUpIntegration({
      path,
      body: {
        entity_id: integration.entity_id,
        status: 'PENDING',
        public_metadata: {
          provider: integration.provider as 'DOCSTORE_A',
          source_id: source!,
          sub_source_id: subSource!,
          directories: [...chosen, ...others.split('\n').map((f) => f.trim()).filter(Boolean)],
        },
      },
    }),
    'integrations', 'integration',
  )
  const step = (number: number) => t('wizard.step', { number, total: 4 })
  return (
    <>
      <Section title={label('wizard.source', integration.provider)} lead={step(2)}>
        <Places label={label('wizard.source', integration.provider)} list={sources} value={source} onChange={(id) => { setSource(id); setSubSource(undefined); setChosen([]) }} />
      </Section>
      {source !== undefined && (
        <Section title={label('wizard.subSource', integration.provider)} lead={step(3)}>
          <Places label={label('wizard.subSource', integration.provider)} list={subSources} value={subSource} onChange={(id) => { setSubSource(id); setChosen([]) }} />
        </Section>
      )}
      {source !== undefined && subSource !== undefined && (
        <Section title={t('wizard.directories')} lead={step(4)}>
          <p className="muted">{t('wizard.directories.hint')}</p>
          <FolderTree key={subSource} integration={integration} source={source} subSource={subSource} label={t('wizard.directories')} value={chosen} onChange={setChosen} />
          <TextField lines label={t('wizard.otherPaths')} hint={t('wizard.otherPaths.hint')} value={others} onChange={setOthers} />
          <p className="muted">{t('wizard.tree.hint')}</p>
          {activate.isError && <ErrorBanner error={activate.error} />}
          <div><Button look="primary" isPending={activate.isPending} onPress={() => activate.mutate(undefined)}>{t('wizard.activate')}</Button></div>
        </Section>
      )}
    </>
  )
}

interface PlacesProps {
  label: string
  list: { data?: TriggerSource[]; isPending: boolean; error: Error | null; refetch: () => unknown }
  value: string | undefined
  onChange: (id: string) => void
}

function Places({ label: name, list, value, onChange }: PlacesProps) {
  if (list.error) {
    return <ErrorBanner error={list.error} onRetry={() => void list.refetch()} />
  }
  if (list.isPending || !list.data) {
    return <Skeleton rows={3} />
  }
  if (list.data.length === 0) {
    return <div className="panel"><Empty title={t('wizard.noSource')} /></div>
  }
  return (
    <RadioGroup className="panel choices" aria-label={name} value={value ?? null} onChange={onChange}>
      {list.data.map((place) => (
        <Radio key={place.id} value={place.id} className="choice">
          <span className="dot" />
          <span className="grow">{place.name}</span>
          {place.path && <span className="muted ellipsis">{place.path}</span>}
        </Radio>
      ))}
    </RadioGroup>
  )
}
