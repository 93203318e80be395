import type { Integration, TriggerFolder } from '@docledger/client'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { Button as AriaButton, Checkbox, Tree, TreeItem, TreeItemContent } from 'react-aria-components'

import { api } from '@/api/client'
import '@/text/parts/integrations'
import { t } from '@/text/text'
import { Icon } from '@/ui/Icon'
import { Empty, ErrorBanner, Skeleton } from '@/ui/parts'

interface Props {
  integration: Integration
  source: string
  subSource: string
  label: string
  /** The paths of the chosen folders. */
  value: string[]
  onChange: (paths: string[]) => void
}

const top = ''

/** The folders of a sub-source, of which a person chooses some. A level is read when it is opened. */
export function FolderTree({ integration, source, subSource, label, value, onChange }: Props) {
  const [open, setOpen] = useState<string[]>([])
  const paths = [top, ...open]
  const levels = useQueries({
    queries: paths.map((path) => ({
      queryKey: ['integration', integration.id, 'folders', source, subSource, path],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.listTriggerFolders({
        path: { integrationId: integration.id, sourceId: source, subSourceId: subSource },
        query: { entity_id: integration.entity_id, ...(path === top ? {} : { path }) },
        signal,
      }).toArray(),
    })),
  })
  const inside = new Map(paths.map((path, n) => [path, levels[n]!.data]))
  const failed = levels.find((level) => level.error)
  const first = inside.get(top)
  return (
    <>
      {failed && <ErrorBanner error={failed.error} onRetry={() => levels.forEach((level) => level.error && void level.refetch())} />}
      {!first && !failed && <Skeleton rows={3} />}
      {first?.length === 0 && <div className="panel"><Empty title={t('wizard.tree.empty')} /></div>}
      {first && first.length > 0 && (
        <Tree
          className="panel tree"
          aria-label={label}
          selectionMode="multiple"
          selectedKeys={value}
          // Only folders can be selected, and "all" is the list of those in view.
          onSelectionChange={(keys) => onChange(keys === 'all' ? first.map((f) => f.path) : [...keys].map(String))}
          expandedKeys={open}
          onExpandedChange={(keys) => setOpen([...keys].map(String))}
        >
          {first.map((folder) => item(folder, inside))}
        </Tree>
      )}
    </>
  )
}

/** Returns a folder with its open subfolders. The tree needs elements of its own kinds, not of other components. */
function item(folder: TriggerFolder, inside: Map<string, TriggerFolder[] | undefined>) {
  const children = inside.get(folder.path)
  return (
    <TreeItem key={folder.path} id={folder.path} textValue={folder.name} className="folder">
      <TreeItemContent>
        {({ hasChildItems, isExpanded }) => (
          <>
            {hasChildItems
              ? <AriaButton slot="chevron" className="twist" data-open={isExpanded || undefined}><Icon name="chevron" /></AriaButton>
              : <span className="twist" />}
            <Checkbox slot="selection" className="check">
              {({ isSelected }) => (
                <span className="box">
                  <svg width="12" height="12" viewBox="0 0 12 12" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
                    {isSelected && <path d="m2 6.3 2.6 2.6L10 3.4" />}
                  </svg>
                </span>
              )}
            </Checkbox>
            <span className="ellipsis">{folder.name}</span>
            {children?.length === 0 && <span className="muted">{t('wizard.tree.noFolders')}</span>}
          </>
        )}
      </TreeItemContent>
      {/* The arrow keys open a row only if it has a row inside. */}
      {children === undefined
        ? (
          <TreeItem id={`${folder.path}/`} textValue={t('wizard.tree.loading')} isDisabled className="folder">
            <TreeItemContent><span className="twist" /><span className="muted">{t('wizard.tree.loading')}</span></TreeItemContent>
          </TreeItem>
        )
        : children.map((child) => item(child, inside))}
    </TreeItem>
  )
}
