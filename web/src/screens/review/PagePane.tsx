import type { Document, Invoice, PageWord } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState, type MouseEvent } from 'react'

import { setPreference, usePreferences } from '@/layout/preferences'
import { isStructured } from '@/pages/PageDialog'
import { PageImage } from '@/pages/PageImage'
import { imageWidth, pageWordsQuery } from '@/pages/queries'
import { ReadableInvoice } from '@/pages/ReadableInvoice'
import '@/text/parts/review'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'

import { marksOf, type Mark } from './fields'

interface Props {
  invoice: Invoice
  document: Document
  /** The focused field. */
  active: string | undefined
  doubtful: ReadonlySet<string>
  onHover: (path: string | undefined) => void
  onOpen: (path: string) => void
  /** Puts a word of the page into the focused field; undefined without one. */
  fill: ((word: string, append: boolean) => void) | undefined
  onWidth: (imageWidth: number) => void
}

const zoomStep = 0.2
const zoomRange = [0.4, 3] as const
const margin = 32

/** The document: its pages with the places of the values, or the readable form of data. */
export function PagePane({ invoice, document, active, doubtful, onHover, onOpen, fill, onWidth }: Props) {
  const pane = useRef<HTMLDivElement>(null)
  const [paneWidth, setPaneWidth] = useState(0)
  const { zoom } = usePreferences()
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setPaneWidth(entry?.contentRect.width ?? 0))
    observer.observe(pane.current!)
    return () => observer.disconnect()
  }, [])
  const cssWidth = Math.max(0, Math.round((paneWidth - margin) * zoom))
  const width = paneWidth > 0 ? imageWidth(cssWidth) : 0
  useEffect(() => onWidth(width), [width, onWidth])
  const marks = useMemo(() => marksOf(invoice), [invoice])
  const first = document.pages?.from ?? 1
  const count = document.pages ? document.pages.to - document.pages.from + 1 : (document.page_count ?? 1)
  const changeZoom = (by: number) => setPreference('zoom', Math.min(zoomRange[1], Math.max(zoomRange[0], Math.round((zoom + by) * 10) / 10)))

  return (
    <div className="page-pane">
      <div className="page-tools">
        {fill && !isStructured(document.media_type) && <span className="muted">{t('review.wordHint')}</span>}
        <span className="grow" />
        <Button small look="quiet" icon="zoomOut" label={t('review.zoomOut')} onPress={() => changeZoom(-zoomStep)} />
        <Button small look="quiet" onPress={() => setPreference('zoom', 1)}>{t('review.zoomFit')}</Button>
        <Button small look="quiet" icon="zoomIn" label={t('review.zoomIn')} onPress={() => changeZoom(zoomStep)} />
      </div>
      <div ref={pane} className="page-scroll" tabIndex={0} role="region" aria-label={t('review.page')}>
        {isStructured(document.media_type)
          ? <ReadableInvoice invoice={invoice} active={active} onHover={onHover} />
          : width > 0 && Array.from({ length: count }, (_, i) => i + 1).map((page) => (
            <Page
              key={page}
              documentId={document.id}
              page={page}
              width={width}
              cssWidth={cssWidth}
              marks={marks.filter((m) => m.page === page || m.page === page + first - 1)}
              {...{ active, doubtful, onHover, onOpen, fill }}
            />
          ))}
      </div>
    </div>
  )
}

type PageProps = Pick<Props, 'active' | 'doubtful' | 'onHover' | 'onOpen' | 'fill'> & {
  documentId: string
  page: number
  width: number
  cssWidth: number
  marks: Mark[]
}

/** One page, which is loaded when it comes near the view. */
function Page({ documentId, page, width, cssWidth, marks, active, doubtful, onHover, onOpen, fill }: PageProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [near, setNear] = useState(page === 1)
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), { rootMargin: '800px' })
    observer.observe(frame.current!)
    return () => observer.disconnect()
  }, [])
  // The place of the focused field comes into view, also on a page that was not shown yet.
  const wanted = marks.some((mark) => mark.path === active)
  useEffect(() => {
    if (wanted) {
      setNear(true)
    }
  }, [wanted])
  const words = useQuery({ ...pageWordsQuery(documentId, page), enabled: near && fill !== undefined }).data
  const click = (event: MouseEvent<HTMLDivElement>) => {
    const area = event.currentTarget.getBoundingClientRect()
    const word = words && wordAt(words, (event.clientX - area.left) / area.width, (event.clientY - area.top) / area.height)
    if (word) {
      fill?.(word.text, event.shiftKey)
    }
  }
  return (
    <div ref={frame} className="page-frame" style={{ width: cssWidth }}>
      {near
        ? (
          <PageImage documentId={documentId} page={page} width={width}>
            {/* The words are read aloud by the fields; the layer is for pointers. Pressing it must not take the focus from the field. */}
            <div className="page-layer" data-filling={fill ? true : undefined} onMouseDown={(event) => event.preventDefault()} onClick={click} aria-hidden="true">
              {marks.map((mark) => (
                <MarkBox key={mark.path} mark={mark} active={mark.path === active} doubtful={doubtful.has(mark.path)} filling={fill !== undefined} {...{ onHover, onOpen }} />
              ))}
            </div>
          </PageImage>
        )
        : <div className="page-image waiting" />}
    </div>
  )
}

interface MarkProps {
  mark: Mark
  active: boolean
  doubtful: boolean
  filling: boolean
  onHover: (path: string | undefined) => void
  onOpen: (path: string) => void
}

function MarkBox({ mark, active, doubtful, filling, onHover, onOpen }: MarkProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (active) {
      box.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    }
  }, [active])
  const [x0, y0, x1, y1] = mark.box
  const percent = (share: number) => `${share * 100}%`
  return (
    <div
      ref={box}
      className="mark"
      data-mark={mark.path}
      data-active={active || undefined}
      data-doubtful={doubtful || undefined}
      style={{ left: percent(x0), top: percent(y0), width: percent(x1 - x0), height: percent(y1 - y0) }}
      onMouseEnter={() => onHover(mark.path)}
      onMouseLeave={() => onHover(undefined)}
      onClick={() => filling || onOpen(mark.path)}
    />
  )
}

function wordAt(words: PageWord[], x: number, y: number): PageWord | undefined {
  const slack = 0.003
  return words.find(({ box: [x0, y0, x1, y1] }) => x >= x0 - slack && x <= x1 + slack && y >= y0 - slack && y <= y1 + slack)
}
