import { Page } from '@/ui/parts'
import { t } from '@/text/text'

export function AttentionScreen() {
  return <Page title={t('nav.attention')}>{null}</Page>
}
