import './pages.css'

import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'

import '@/text/parts/review'
import { t } from '@/text/text'
import { errorText } from '@/ui/parts'

import { pageImageQuery } from './queries'

interface Props {
  documentId: string
  page: number
  /** The width to ask for, in pixels of the image. */
  width: number
  children?: ReactNode
}

/** The image of one page. While it is loaded again at another width, the earlier one stays. */
export function PageImage({ documentId, page, width, children }: Props) {
  const image = useQuery({ ...pageImageQuery(documentId, page, width), placeholderData: (old) => old })
  const address = useObjectUrl(image.data)
  if (image.isError) {
    return <p className="page-missing">{t('page.missing', { reason: errorText(image.error) })}</p>
  }
  return (
    <div className={`page-image${address ? '' : ' waiting'}`}>
      {address && <img src={address} alt={t('page.image', { page })} />}
      {children}
    </div>
  )
}

function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!blob) {
      return
    }
    const created = URL.createObjectURL(blob)
    setAddress(created)
    return () => URL.revokeObjectURL(created)
  }, [blob])
  return blob ? address : undefined
}
