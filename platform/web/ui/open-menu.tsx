// The row menu, loaded when it is first opened. It opens as a menu with a mouse, and as a bottom
// sheet on touch devices.
import { Menu, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOpenedFrom } from '../hooks/use-opened-from.ts';
import { useTouch } from '../hooks/use-touch.ts';
import { BottomSheet } from './bottom-sheet.tsx';
import { DotsButton } from './dots-button.tsx';
import classes from './row-menu.module.css';

/** An action already bound to its row. */
export interface MenuAction {
  label: string;
  icon?: ReactNode;
  isDanger?: boolean | undefined;
  run: () => void;
}

export interface OpenMenuProps {
  name: string;
  actions: MenuAction[];
  /** Describes the running work. */
  busyText?: string | undefined;
}

export default function OpenMenu({ busyText, ...props }: OpenMenuProps) {
  const isTouch = useTouch();
  const MenuComponent = isTouch ? SheetMenu : PointerMenu;
  return (
    <>
      <MenuComponent {...props} isBusy={busyText !== undefined} />
      <VisuallyHidden role="status">{busyText}</VisuallyHidden>
    </>
  );
}

type ShownProps = Omit<OpenMenuProps, 'busyText'> & { isBusy: boolean };

function PointerMenu({ name, actions, isBusy }: ShownProps) {
  const { button, isOpen, setOpen } = useOpenedFrom();
  return (
    <Menu opened={isOpen} onChange={setOpen} returnFocus>
      <Menu.Target>
        <DotsButton ref={button} name={name} isBusy={isBusy} />
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map((action) => (
          <Menu.Item
            key={action.label}
            leftSection={action.icon}
            color={action.isDanger ? 'danger' : undefined}
            onClick={action.run}
          >
            {action.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function SheetMenu({ name, actions, isBusy }: ShownProps) {
  const { button, isOpen, setOpen } = useOpenedFrom();
  return (
    <>
      <DotsButton
        ref={button}
        name={name}
        isBusy={isBusy}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      />
      <BottomSheet isOpen={isOpen} close={() => setOpen(false)} title={name}>
        {actions.map((action) => (
          <UnstyledButton
            key={action.label}
            className={classes.item}
            data-danger={action.isDanger || undefined}
            onClick={() => {
              setOpen(false);
              action.run();
            }}
          >
            {action.icon}
            {action.label}
          </UnstyledButton>
        ))}
      </BottomSheet>
    </>
  );
}
