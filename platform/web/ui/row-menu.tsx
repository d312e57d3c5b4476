// The acts of one thing behind three dots. The menu itself is loaded when a pointer or the focus
// comes near: most rows are never opened.
import { ActionIcon, type ActionIconProps } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { type ComponentProps, lazy, type ReactNode, Suspense, useState } from 'react';
import { useTexts } from '../texts.ts';

export interface RowAct<Row> {
  label: string;
  icon?: ReactNode;
  /** Red: deletes. */
  isDanger?: boolean;
  isHidden?: (row: Row) => boolean;
  run: (row: Row) => void;
}

/** An act with its row already inside. */
export interface MenuAct {
  label: string;
  icon?: ReactNode;
  isDanger?: boolean | undefined;
  run: () => void;
}

export interface RowMenuProps<Row> {
  row: Row;
  name: string;
  acts: RowAct<Row>[];
}

const load = () => import('./open-menu.tsx');
const OpenMenu = lazy(load);

export function RowMenu<Row>({ row, name, acts }: RowMenuProps<Row>) {
  const [isWanted, setWanted] = useState(false);
  const shown = acts.filter((act) => !act.isHidden?.(row));
  if (shown.length === 0) return null;
  const button = (
    <DotsButton
      name={name}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setWanted(true)}
    />
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <OpenMenu name={name} acts={shown.map((act) => ({ ...act, run: () => act.run(row) }))} />
    </Suspense>
  );
}

export type DotsButtonProps = ActionIconProps & ComponentProps<'button'> & { name: string };

export function DotsButton({ name, ...props }: DotsButtonProps) {
  const t = useTexts('platform');
  return (
    <ActionIcon aria-label={t('table.actionsOf', { name })} className="touch-target" {...props}>
      <IconDots size={18} stroke={1.75} />
    </ActionIcon>
  );
}
