import { t } from '@/text/text'

import { Button } from './Button'
import { TextField } from './fields'
import { notify } from './notices'
import { Banner } from './parts'

interface Props {
  title: string
  hint: string
  label: string
  secret: string
  onClose: () => void
}

/** A secret that is shown once. */
export function Secret({ title, hint, label, secret, onClose }: Props) {
  return (
    <div className="stack loose">
      <Banner tone="amber" title={title}>{hint}</Banner>
      <TextField label={label} value={secret} isReadOnly autoFocus />
      <div className="actions">
        <Button icon="copy" onPress={() => void navigator.clipboard.writeText(secret).then(() => notify(t('common.copied')))}>{t('common.copy')}</Button>
        <Button look="primary" onPress={onClose}>{t('common.close')}</Button>
      </div>
    </div>
  )
}
