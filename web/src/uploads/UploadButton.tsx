import { FileTrigger } from 'react-aria-components'

import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { Menu } from '@/ui/overlays'
import { lazy, Suspense, useRef, useState } from 'react'

import { keepFiles } from './files'
import { offerFiles } from './offer'

const Camera = lazy(() => import('./Camera').then((m) => ({ default: m.Camera })))

/** Chooses files; a menu also chooses a folder, or takes photos. */
export function UploadButton() {
  const folder = useRef<HTMLInputElement>(null)
  const [photographing, photograph] = useState(false)
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
        entries={[
          { id: 'camera', label: t('upload.camera'), onAction: () => photograph(true) },
          { id: 'folder', label: t('upload.folder'), onAction: () => folder.current?.click() },
        ]}
        trigger={<Button icon="more" label={t('upload.more')} />}
      />
      {photographing && <Suspense><Camera isOpen onClose={() => photograph(false)} /></Suspense>}
    </div>
  )
}
