// The actions of one object behind three dots. The menu is loaded when the pointer or the focus
// reaches the dots, because most rows' menus are never opened.
import { type ReactNode, Suspense, useState } from 'react';
import { lazyWithRetry } from '../shell/lazy-with-retry.ts';
import { DotsButton } from './dots-button.tsx';

export interface RowAction<Row> {
  label: string;
  icon?: ReactNode;
  /** True for an action that deletes, which is shown in red. */
  isDanger?: boolean;
  isHidden?: (row: Row) => boolean;
  /** Describes work that must finish before the action; the dots show a loader until then. */
  getBusyText?: (row: Row) => string | undefined;
  run: (row: Row) => void;
}

export interface RowMenuProps<Row> {
  row: Row;
  name: string;
  actions: RowAction<Row>[];
}

const load = () => import('./open-menu.tsx');
const OpenMenu = lazyWithRetry(load);

export function RowMenu<Row>({ row, name, actions }: RowMenuProps<Row>) {
  const [isRequested, setRequested] = useState(false);
  const visibleActions = actions.filter((action) => !action.isHidden?.(row));
  if (visibleActions.length === 0) return null;
  const button = (
    <DotsButton
      name={name}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={() => void load().catch(() => undefined)}
      onFocus={() => void load().catch(() => undefined)}
      onClick={() => setRequested(true)}
    />
  );
  if (!isRequested) return button;
  const busyText = actions
    .map((action) => action.getBusyText?.(row))
    .find((label) => label !== undefined);
  return (
    <Suspense fallback={button}>
      <OpenMenu
        name={name}
        actions={visibleActions.map((action) => ({ ...action, run: () => action.run(row) }))}
        busyText={busyText}
      />
    </Suspense>
  );
}
