// The acts of one thing behind three dots: a menu for the mouse, a sheet for fingers.
import { ActionIcon, Drawer, Menu, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../texts.ts';
import { useTouch } from '../use-touch.ts';
import classes from './row-menu.module.css';

export interface RowAct<Row> {
  label: string;
  icon?: ReactNode;
  /** Red: deletes. */
  isDanger?: boolean;
  isHidden?: (row: Row) => boolean;
  run: (row: Row) => void;
}

export interface RowMenuProps<Row> {
  row: Row;
  name: string;
  acts: RowAct<Row>[];
}

export function RowMenu<Row>({ row, name, acts }: RowMenuProps<Row>) {
  const isTouch = useTouch();
  const shown = acts.filter((act) => !act.isHidden?.(row));
  if (shown.length === 0) return null;
  const Shape = isTouch ? SheetMenu : PointerMenu;
  return <Shape name={name} acts={shown.map((act) => ({ ...act, run: () => act.run(row) }))} />;
}

interface ShapeProps {
  name: string;
  acts: (Omit<RowAct<never>, 'run'> & { run: () => void })[];
}

function PointerMenu({ name, acts }: ShapeProps) {
  const t = useTexts('platform');
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={t('table.actionsOf', { name })}>
          <IconDots size={18} stroke={1.75} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {acts.map((act) => (
          <Menu.Item
            key={act.label}
            leftSection={act.icon}
            color={act.isDanger ? 'danger' : undefined}
            onClick={act.run}
          >
            {act.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function SheetMenu({ name, acts }: ShapeProps) {
  const t = useTexts('platform');
  const [isOpen, sheet] = useDisclosure(false);
  return (
    <>
      <ActionIcon size={44} aria-label={t('table.actionsOf', { name })} onClick={sheet.open}>
        <IconDots size={20} stroke={1.75} />
      </ActionIcon>
      <Drawer
        opened={isOpen}
        onClose={sheet.close}
        position="bottom"
        size="auto"
        title={name}
        radius="lg"
        closeButtonProps={{ 'aria-label': t('dialog.close') }}
      >
        {acts.map((act) => (
          <UnstyledButton
            key={act.label}
            className={classes.item}
            data-danger={act.isDanger || undefined}
            onClick={() => {
              sheet.close();
              act.run();
            }}
          >
            {act.icon}
            {act.label}
          </UnstyledButton>
        ))}
      </Drawer>
    </>
  );
}
