import { t } from '@/text/text'

import { Button } from './Button'
import { notify } from './notices'

/** An address that receives e-mail, to be copied. */
export function EmailAddress({ address }: { address: string }) {
  return (
    <div className="row wrap">
      <code>{address}</code>
      <Button small icon="copy" onPress={() => void navigator.clipboard.writeText(address).then(() => notify(t('common.copied')))}>{t('common.copy')}</Button>
    </div>
  )
}
