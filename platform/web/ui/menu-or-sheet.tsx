// Parts of a menu whose entries are actions, links and choices. With a mouse it opens as a menu,
// and on touch devices as a bottom sheet.
import { Menu, type MenuProps, UnstyledButton } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { cloneElement, createContext, type ReactElement, type ReactNode, useContext } from 'react';
import { useTouch } from '../hooks/use-touch.ts';
import { BottomSheet } from './bottom-sheet.tsx';
import classes from './row-menu.module.css';

/** Closes the sheet around the entries; undefined in a menu, which closes by itself. */
const CloseContext = createContext<(() => void) | undefined>(undefined);

export interface MenuOrSheetProps {
  isOpen: boolean;
  onChange: (isOpen: boolean) => void;
  /** The button that opens the menu or sheet. */
  target: ReactElement<{ onClick?: () => void; 'aria-haspopup'?: 'dialog' }>;
  /** The menu's name for screen readers, or the sheet's heading. */
  label: string;
  width?: number;
  position?: MenuProps['position'];
  children: ReactNode;
}

export function MenuOrSheet(props: MenuOrSheetProps) {
  const { isOpen, onChange, target, label, width, position, children } = props;
  const isTouch = useTouch();
  if (!isTouch) {
    return (
      <Menu
        opened={isOpen}
        onChange={onChange}
        returnFocus
        {...(width === undefined ? {} : { width })}
        {...(position === undefined ? {} : { position })}
      >
        <Menu.Target>{target}</Menu.Target>
        <Menu.Dropdown aria-label={label}>{children}</Menu.Dropdown>
      </Menu>
    );
  }
  const close = () => onChange(false);
  return (
    <>
      {cloneElement(target, { onClick: () => onChange(true), 'aria-haspopup': 'dialog' })}
      <BottomSheet isOpen={isOpen} close={close} title={label}>
        <CloseContext value={close}>{children}</CloseContext>
      </BottomSheet>
    </>
  );
}

export interface MenuEntryProps {
  icon: ReactNode;
  to?: string;
  run?: () => void;
  /** Whether the menu stays open after `run`, so that the change is visible. */
  staysOpen?: boolean;
  children: ReactNode;
}

export function MenuEntry({ icon, to, run, staysOpen = false, children }: MenuEntryProps) {
  const close = useContext(CloseContext);
  if (!close) {
    const sharedProps = { leftSection: icon, closeMenuOnClick: !staysOpen };
    if (to !== undefined) {
      return (
        <Menu.Item component={Link} to={to} {...sharedProps}>
          {children}
        </Menu.Item>
      );
    }
    return (
      <Menu.Item {...sharedProps} onClick={run}>
        {children}
      </Menu.Item>
    );
  }
  if (to !== undefined) {
    return (
      <UnstyledButton component={Link} to={to} className={classes.item} onClick={close}>
        {icon}
        {children}
      </UnstyledButton>
    );
  }
  const runAction = () => {
    if (!staysOpen) close();
    run?.();
  };
  return (
    <UnstyledButton className={classes.item} onClick={runAction}>
      {icon}
      {children}
    </UnstyledButton>
  );
}

export interface MenuChoicesProps {
  /** Title above the entries. */
  title?: string;
  value: string;
  choices: readonly { value: string; label: ReactNode; lang?: string }[];
  choose: (value: string) => void;
}

/** Offers one choice of several and marks the current one. */
export function MenuChoices({ title, value, choices, choose }: MenuChoicesProps) {
  const close = useContext(CloseContext);
  if (!close) {
    return (
      <>
        {title !== undefined && <Menu.Label>{title}</Menu.Label>}
        <Menu.RadioGroup value={value} onChange={choose}>
          {choices.map(({ label, ...choice }) => (
            <Menu.RadioItem key={choice.value} {...choice} closeMenuOnClick>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </>
    );
  }
  return (
    <>
      {title !== undefined && <p className={classes.group}>{title}</p>}
      {choices.map(({ value: choice, label, lang }) => (
        <UnstyledButton
          key={choice}
          lang={lang}
          className={classes.item}
          aria-current={choice === value}
          onClick={() => {
            close();
            if (choice !== value) choose(choice);
          }}
        >
          <span className={classes.choice}>{label}</span>
          {choice === value && <IconCheck size={18} stroke={1.75} aria-hidden="true" />}
        </UnstyledButton>
      ))}
    </>
  );
}

/** Divides the entries of a menu; a sheet uses spacing instead. */
export function MenuLine() {
  return useContext(CloseContext) ? null : <Menu.Divider />;
}
