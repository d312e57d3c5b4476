// One of several choices behind a button: a menu for mouse, a bottom sheet for touch.
import { Menu, type MenuProps, ScrollArea, UnstyledButton } from '@mantine/core';
import { cloneElement, Fragment, type ReactElement, useState } from 'react';
import { useTouch } from '../hooks/use-touch.ts';
import { BottomSheet } from './bottom-sheet.tsx';
import classes from './row-menu.module.css';

export interface ChoiceGroup {
  /** Title above the group's choices. */
  title?: string;
  choices: readonly { key: string; label: string; choose: () => void }[];
}

export interface ChoiceMenuProps {
  /** The button that opens the menu. */
  target: ReactElement<{ onClick?: () => void }>;
  /** The sheet's heading. */
  label: string;
  groups: readonly ChoiceGroup[];
  width?: number;
  position?: MenuProps['position'];
  /** Rendered outside a container that would clip it. */
  withinPortal?: boolean;
}

export function ChoiceMenu(props: ChoiceMenuProps) {
  const isTouch = useTouch();
  const groups = props.groups.filter(({ choices }) => choices.length > 0);
  return isTouch ? (
    <TouchMenu {...props} groups={groups} />
  ) : (
    <MouseMenu {...props} groups={groups} />
  );
}

function MouseMenu(props: ChoiceMenuProps) {
  const { target, label, groups, width = 260, position = 'bottom', withinPortal } = props;
  return (
    <Menu
      shadow="md"
      width={width}
      position={position}
      {...(withinPortal === undefined ? {} : { withinPortal })}
    >
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown aria-label={label}>
        <ScrollArea.Autosize mah={340}>
          {groups.map(({ title, choices }, at) => (
            <Fragment key={title ?? at}>
              {title !== undefined && <Menu.Label>{title}</Menu.Label>}
              {choices.map(({ key, label: choiceLabel, choose }) => (
                <Menu.Item key={key} onClick={choose}>
                  <bdi>{choiceLabel}</bdi>
                </Menu.Item>
              ))}
            </Fragment>
          ))}
        </ScrollArea.Autosize>
      </Menu.Dropdown>
    </Menu>
  );
}

function TouchMenu({ target, label, groups }: ChoiceMenuProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {cloneElement(target, { onClick: () => setOpen(true) })}
      <BottomSheet isOpen={isOpen} close={() => setOpen(false)} title={label}>
        {groups.map(({ title, choices }, at) => (
          <Fragment key={title ?? at}>
            {title !== undefined && <p className={classes.group}>{title}</p>}
            {choices.map(({ key, label: choiceLabel, choose }) => (
              <UnstyledButton
                key={key}
                className={classes.item}
                onClick={() => {
                  setOpen(false);
                  choose();
                }}
              >
                <bdi>{choiceLabel}</bdi>
              </UnstyledButton>
            ))}
          </Fragment>
        ))}
      </BottomSheet>
    </>
  );
}
