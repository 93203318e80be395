import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Menu as AriaMenu, MenuItem, MenuTrigger, Modal, ModalOverlay, Popover } from 'react-aria-components'

import { t } from '@/text/text'

import { Button } from './Button'

interface DialogProps {
  title: string
  isOpen: boolean
  onClose: () => void
  wide?: boolean
  children: ReactNode
}

export function Dialog({ title, isOpen, onClose, wide, children }: DialogProps) {
  return (
    <ModalOverlay isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable className="overlay">
      <Modal className={`dialog${wide ? ' wide' : ''}`}>
        <AriaDialog>
          <div className="row">
            <Heading slot="title" level={2} className="grow">{title}</Heading>
            <Button look="quiet" small icon="close" label={t('common.close')} onPress={onClose} />
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

interface ConfirmProps extends Omit<DialogProps, 'children'> {
  text: ReactNode
  action: string
  onConfirm: () => void
}

/** Asks before an action that cannot be undone. Routine actions have Undo instead. */
export function ConfirmDialog({ text, action, onConfirm, ...rest }: ConfirmProps) {
  return (
    <Dialog {...rest}>
      <div>{text}</div>
      <div className="actions">
        <Button onPress={rest.onClose}>{t('common.cancel')}</Button>
        <Button look="danger" onPress={() => { onConfirm(); rest.onClose() }}>{action}</Button>
      </div>
    </Dialog>
  )
}

export interface MenuEntry {
  id: string
  label: string
  detail?: string
  danger?: boolean
  isDisabled?: boolean
  onAction: () => void
}

/** A button (trigger) that opens a menu of actions. */
export function Menu({ trigger, entries, label }: { trigger: ReactNode; entries: MenuEntry[]; label: string }) {
  return (
    <MenuTrigger>
      {trigger}
      <Popover className="popover">
        <AriaMenu className="options" aria-label={label} items={entries}>
          {(entry) => (
            <MenuItem id={entry.id} isDisabled={entry.isDisabled} onAction={entry.onAction} className={`option${entry.danger ? ' danger' : ''}`} textValue={entry.label}>
              {entry.label}
              {entry.detail && <span className="detail">{entry.detail}</span>}
            </MenuItem>
          )}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}
