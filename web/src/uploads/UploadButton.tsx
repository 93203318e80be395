import { FileTrigger } from 'react-aria-components'

import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { Menu } from '@/ui/overlays'
import { useRef } from 'react'

import { keepFiles } from './files'
import { offerFiles } from './offer'

/** Chooses files; a menu also chooses a folder. */
export function UploadButton() {
  const folder = useRef<HTMLInputElement>(null)
  return (
    <div className="row">
      <FileTrigger allowsMultiple onSelect={(files) => files && offerFiles(keepFiles(files))}>
        <Button look="primary" icon="upload">{t('upload.choose')}</Button>
      </FileTrigger>
      <input
        ref={folder}
        type="file"
        hidden
        // React has no type for this attribute.
        {...{ webkitdirectory: '' }}
        onChange={(event) => {
          offerFiles(keepFiles(event.target.files ?? []))
          event.target.value = ''
        }}
      />
      <Menu
        label={t('upload.more')}
        entries={[{ id: 'folder', label: t('upload.folder'), onAction: () => folder.current?.click() }]}
        trigger={<Button icon="more" label={t('upload.more')} />}
      />
    </div>
  )
}
