import { useReachable, useWaiting } from '@/api/connection'
import { t } from '@/text/text'
import { Banner } from '@/ui/parts'

/** States on every page that docledger cannot be reached, and what becomes of the person's work meanwhile. */
export function ConnectionBanner() {
  const reachable = useReachable()
  const waiting = useWaiting()
  // Screen readers announce what changes in an element that was there before.
  return (
    <div role="status" className={reachable ? undefined : 'banners'}>
      {!reachable && (
        <Banner silent tone="amber" icon="offline" title={t('connection.lost')}>
          {waiting > 0 ? t('connection.waiting', { count: waiting }) : t('connection.lost.text')}
        </Banner>
      )}
    </div>
  )
}
