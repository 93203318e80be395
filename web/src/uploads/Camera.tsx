import { useEffect, useMemo, useRef, useState } from 'react'

import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/overlays'
import { Banner } from '@/ui/parts'

import { offerFiles } from './offer'
import { pdfOf } from './photos'

/** Takes a photo of each page of a document with the camera of the device. All of them become one document. */
export function Camera({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const input = useRef<HTMLInputElement>(null)
  const [photos, setPhotos] = useState<File[]>([])
  const [working, setWorking] = useState(false)
  const [failed, setFailed] = useState(false)
  const close = () => {
    setPhotos([])
    setFailed(false)
    onClose()
  }
  const finish = async () => {
    setWorking(true)
    setFailed(false)
    try {
      const taken = new Date()
      const name = `photo-${taken.toISOString().slice(0, 19).replaceAll(':', '-')}.pdf`
      offerFiles([await pdfOf(photos, name)])
      close()
    } catch {
      setFailed(true)
    } finally {
      setWorking(false)
    }
  }
  return (
    <Dialog title={t('camera.title')} isOpen={isOpen} onClose={close}>
      <p>{t('camera.text')}</p>
      {failed && <Banner tone="red" title={t('camera.failed')} />}
      <input
        ref={input}
        type="file"
        accept="image/*"
        capture="environment"
        multiple
        hidden
        aria-label={t('camera.take')}
        onChange={(event) => {
          setPhotos([...photos, ...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
      {photos.length > 0 && (
        <ol className="photos" aria-label={t('camera.pages')}>
          {photos.map((photo, n) => <Page key={`${n}-${photo.name}`} photo={photo} number={n + 1} onRemove={() => setPhotos(photos.filter((_, at) => at !== n))} />)}
        </ol>
      )}
      <div className="actions">
        <Button icon="camera" look={photos.length === 0 ? 'primary' : 'plain'} onPress={() => input.current?.click()}>{t(photos.length === 0 ? 'camera.take' : 'camera.another')}</Button>
        {photos.length > 0 && <Button look="primary" icon="upload" isPending={working} onPress={() => void finish()}>{t('camera.finish', { count: photos.length })}</Button>}
      </div>
    </Dialog>
  )
}

function Page({ photo, number, onRemove }: { photo: File; number: number; onRemove: () => void }) {
  const address = useMemo(() => URL.createObjectURL(photo), [photo])
  useEffect(() => () => URL.revokeObjectURL(address), [address])
  return (
    <li>
      <img src={address} alt={t('camera.page', { number })} />
      <Button small icon="close" label={t('camera.remove', { number })} onPress={onRemove} />
    </li>
  )
}
