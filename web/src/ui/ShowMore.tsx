import { useEffect, useRef } from 'react'

import { t } from '@/text/text'

import { Button } from './Button'

interface Props {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
  /** How many rows the table before the button has. */
  count: number
}

/** Reads the next page of a table. The focus goes to the first new row: the button may be gone. */
export function ShowMore({ list, count }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const from = useRef<number>(undefined)
  useEffect(() => {
    if (from.current === undefined || (count <= from.current && list.hasNextPage)) {
      return
    }
    const rows = place.current?.parentElement?.querySelectorAll<HTMLElement>('tbody tr') ?? []
    focusOn(rows[from.current] ?? rows[rows.length - 1])
    from.current = undefined
  }, [count, list.hasNextPage])
  return (
    <div ref={place} hidden={!list.hasNextPage}>
      {list.hasNextPage && (
        <Button isPending={list.isFetchingNextPage} onPress={() => { from.current = count; void list.fetchNextPage() }}>{t('common.showMore')}</Button>
      )}
    </div>
  )
}

/** Moves the focus to an element that the Tab key skips. */
function focusOn(element: HTMLElement | undefined): void {
  if (element) {
    element.tabIndex = -1
    element.focus()
  }
}
