// Line icons of 16 × 16 pixels. An icon always comes with a word; it is hidden from screen readers.
const paths = {
  alert: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.1',
  arrow: 'M3 8h9.5M9 4.5 12.5 8 9 11.5',
  attention: 'M8 1.8v1.4M4 6.8a4 4 0 0 1 8 0c0 3.6 1.4 4.4 1.4 5.2H2.6c0-.8 1.4-1.6 1.4-5.2M6.4 14.2h3.2',
  back: 'M13 8H3.5M7 4.5 3.5 8 7 11.5',
  bill: 'M2.5 4h11v8.5h-11zM2.5 7h11M5 10h2',
  block: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M4 4l8 8',
  camera: 'M2 5h3l1-1.8h4L11 5h3v8H2zM8 11.2a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8',
  chart: 'M2.5 13.5h11M4.5 11V7.5M8 11V3.5M11.5 11V6',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  chevron: 'm4 6 4 4 4-4',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 5v3.2l2.2 1.4',
  close: 'm4 4 8 8M12 4l-8 8',
  company: 'M3 13.5v-11h6v11M9 6h4v7.5M1.5 13.5h13M5 5.2h2M5 8h2M5 10.8h2',
  copy: 'M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1',
  document: 'M4 1.8h5.2L12 4.6v9.6H4zM9 1.8v3h3M6 8h4M6 10.8h4',
  download: 'M8 2.5v8M4.8 7.5 8 10.7l3.2-3.2M2.5 13.5h11',
  inbox: 'M2 9.5 4 3h8l2 6.5v4H2zM2 9.5h3.5l1 1.8h3l1-1.8H14',
  key: 'M5.5 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6M7.7 8l5.8-5.5M11 4.8l2 2',
  link: 'M6.8 9.2a2.8 2.8 0 0 0 4 0l2-2a2.8 2.8 0 0 0-4-4l-.8.8M9.2 6.8a2.8 2.8 0 0 0-4 0l-2 2a2.8 2.8 0 0 0 4 4l.8-.8',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  note: 'M3 3h10v7.5H8L5 13.5v-3H3z',
  offline: 'M1.8 6.2a9 9 0 0 1 12.4 0M4.2 8.8a5.4 5.4 0 0 1 7.6 0M8 12.4v.1M2.5 2.5l11 11',
  people: 'M6 7.5a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8M1.8 13.3c0-2.5 1.8-4 4.2-4s4.2 1.5 4.2 4M10.5 3a2.4 2.4 0 0 1 0 4.4M12 9.7c1.4.5 2.2 1.8 2.2 3.6',
  plug: 'M5.5 1.8v3M10.5 1.8v3M3.5 4.8h9v2.7a4.5 4.5 0 0 1-9 0zM8 12v2.5',
  plus: 'M8 3v10M3 8h10',
  refresh: 'M13 5.5A5.6 5.6 0 0 0 3 5M13 2.5v3h-3M3 10.5A5.6 5.6 0 0 0 13 11M3 13.5v-3h3',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10M10.7 10.7 14 14',
  settings: 'M2.5 4.5h5M10.5 4.5h3M9 3v3M2.5 11.5h3M8.5 11.5h5M7 10v3',
  supplier: 'M2 6 3 2.8h10L14 6M2.8 6v7.5h10.4V6M2 6h12M6.5 13.5V9.5h3v4',
  up: 'm4 10 4-4 4 4',
  upload: 'M8 10.7v-8M4.8 5.7 8 2.5l3.2 3.2M2.5 13.5h11',
  user: 'M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8M2.8 14c0-2.8 2.2-4.4 5.2-4.4s5.2 1.6 5.2 4.4',
  webhook: 'M8 6.2a2 2 0 1 0-.1 0L5.2 11M4 13a2 2 0 1 0 0-4M6 11.8h5.5M12 13a2 2 0 1 0-1-3.7L8.6 6',
  zoomIn: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10M10.7 10.7 14 14M7 5v4M5 7h4',
  zoomOut: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10M10.7 10.7 14 14M5 7h4',
} as const

export type IconName = keyof typeof paths

export function Icon({ name }: { name: IconName }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth={name === 'more' ? 2 : 1.4} strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
