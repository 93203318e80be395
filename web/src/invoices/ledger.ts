// The accounts and tax rates of the ledger of an entity.
import { useQuery } from '@tanstack/react-query'

import { api } from '@/api/client'
import { settingsQuery } from '@/api/queries'
import { type Option } from '@/ui/choices'

const fresh = 5 * 60_000

export interface LedgerOptions {
  connected: boolean
  accounts: Option[]
  taxRates: Option[]
  accountName: (id: string | null) => string | undefined
}

export function useLedger(entityId: string): LedgerOptions {
  const integrationId = useQuery(settingsQuery(entityId)).data?.accounting_integration_id ?? undefined
  const path = { integrationId: integrationId ?? '' }
  const accounts = useQuery({
    queryKey: ['ledger', 'accounts', integrationId],
    enabled: integrationId !== undefined,
    staleTime: fresh,
    queryFn: ({ signal }) => api.listAccountingAccounts({ path, signal }).toArray(),
  })
  const taxRates = useQuery({
    queryKey: ['ledger', 'tax-rates', integrationId],
    enabled: integrationId !== undefined,
    staleTime: fresh,
    queryFn: ({ signal }) => api.listAccountingTaxRates({ path, signal }).toArray(),
  })
  const options = (accounts.data ?? []).map((a): Option => ({ value: a.id, label: a.code ? `${a.code} ${a.name}` : a.name, detail: a.class }))
  return {
    connected: integrationId !== undefined,
    accounts: options,
    taxRates: (taxRates.data ?? []).map((r): Option => ({ value: r.id, label: r.name })),
    accountName: (id) => options.find((o) => o.value === id)?.label,
  }
}
