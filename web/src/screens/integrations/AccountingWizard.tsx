import type { AccountingOrganization, Integration } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Radio, RadioGroup } from 'react-aria-components'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { useEntity } from '@/layout/useEntity'
import '@/text/parts/integrations'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { SwitchField } from '@/ui/fields'
import { Empty, ErrorBanner, Section, Skeleton } from '@/ui/parts'

/** The last step of a ledger: which company of the consent receives the bills of the entity. */
export function AccountingWizard({ integration }: { integration: Integration }) {
  const { entities } = useEntity()
  const companies = useQuery({
    queryKey: ['integration', integration.id, 'companies'],
    queryFn: ({ signal }) => api.listAccountingOrganizations({ path: { integrationId: integration.id }, query: { entity_id: integration.entity_id }, signal }).toArray(),
  })
  const [chosen, choose] = useState<string>()
  const [paysTax, setPaysTax] = useState(true)
  const free = (companies.data ?? []).filter((c) => c.used_by_entity_id === null)
  // The only free company is the entity's own, most likely.
  const company = chosen ?? (free.length === 1 ? free[0]!.organization_id : undefined)
  const activate = useChange(
    () => api.setUpIntegration({
      path: { integrationId: integration.id },
      body: {
        entity_id: integration.entity_id,
        status: 'PENDING',
        public_metadata: { provider: integration.provider as 'ACCOUNTING_A', organization_id: company!, pays_tax: paysTax },
      },
    }),
    'integrations', 'integration', 'settings',
  )
  return (
    <Section title={t('wizard.accounting.title')} lead={`${t('wizard.step', { number: 2, total: 2 })} · ${t('wizard.accounting.lead', { entity: entities.find((e) => e.id === integration.entity_id)?.name ?? '' })}`}>
      {companies.isError && <ErrorBanner error={companies.error} onRetry={() => void companies.refetch()} />}
      {companies.isPending && <Skeleton rows={3} />}
      {companies.data?.length === 0 && <div className="panel"><Empty title={t('wizard.noCompany')} /></div>}
      {companies.data && companies.data.length > 0 && (
        <RadioGroup className="panel choices" aria-label={t('wizard.company')} value={company ?? null} onChange={choose}>
          {companies.data.map((c) => <Company key={c.organization_id} company={c} usedBy={entities.find((e) => e.id === c.used_by_entity_id)?.name} />)}
        </RadioGroup>
      )}
      <SwitchField label={t('wizard.paysTax')} hint={t('wizard.paysTax.hint')} isSelected={paysTax} onChange={setPaysTax} />
      {activate.isError && <ErrorBanner error={activate.error} />}
      <div><Button look="primary" isDisabled={company === undefined} isPending={activate.isPending} onPress={() => activate.mutate(undefined)}>{t('wizard.activate')}</Button></div>
    </Section>
  )
}

function Company({ company, usedBy }: { company: AccountingOrganization; usedBy: string | undefined }) {
  const detail = [company.country, company.base_currency].filter(Boolean).join(', ')
  return (
    <Radio value={company.organization_id} isDisabled={company.used_by_entity_id !== null} className="choice">
      <span className="dot" />
      <span className="grow">{company.name} <span className="muted">{detail}</span></span>
      {company.used_by_entity_id !== null
        ? <span className="muted">{t('wizard.usedBy', { name: usedBy ?? '–' })}</span>
        : !company.connected_now && <span className="muted">{t('wizard.notInConsent')}</span>}
    </Radio>
  )
}
