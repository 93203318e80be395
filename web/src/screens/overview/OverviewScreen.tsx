import { useQuery } from '@tanstack/react-query'

import { formatCount } from '@/format/format'
import { useEntity, useIsAdmin } from '@/layout/useEntity'
import '@/text/parts/inbox'
import '@/text/parts/overview'
import { t } from '@/text/text'
import { BarTable } from '@/ui/BarTable'
import { Empty, ErrorBanner, Page, Section, Skeleton } from '@/ui/parts'

import { Processing } from './Processing'
import { ages, waitingQuery } from './queries'
import { Spend } from './Spend'

/** How well the processing works, and what was spent. */
export function OverviewScreen() {
  const isAdmin = useIsAdmin()
  return (
    <Page title={t('nav.overview')} lead={t('overview.lead')}>
      {isAdmin && <Processing />}
      <Waiting />
      <Spend />
    </Page>
  )
}

function Waiting() {
  const { entityId } = useEntity()
  const waiting = useQuery(waitingQuery(entityId))
  return (
    <Section title={t('overview.age')} lead={t('overview.age.lead')}>
      {waiting.isError && <ErrorBanner error={waiting.error} onRetry={() => void waiting.refetch()} />}
      {waiting.isPending && <Skeleton rows={ages.length} />}
      {waiting.data && (waiting.data.every((w) => w.count === 0)
        ? <div className="panel"><Empty title={t('overview.age.none')} /></div>
        : (
          <BarTable
            label={t('overview.age')}
            columns={{ label: t('overview.age.column'), value: t('inbox.list') }}
            rows={waiting.data.map((w) => ({ id: w.id, label: t(`overview.age.${w.id}`), size: w.count, value: formatCount(w.count) }))}
          />
        ))}
    </Section>
  )
}
