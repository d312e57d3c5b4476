// The bar above a list with the actions on its selected rows.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './selection-bar.module.css';

interface SelectionBarProps {
  /** Name of the region. */
  label: string;
  /** Number of selected rows. */
  selectedText: string;
  /** A button that extends the selection, for example to the rows of all pages. */
  extension?: ReactNode;
  deselectLabel: string;
  clear: () => void;
  /** Buttons of the actions. */
  children: ReactNode;
}

export function SelectionBar(props: SelectionBarProps) {
  return (
    <div className={classes.bar} role="region" aria-label={props.label}>
      <span className={classes.count} aria-live="polite">
        {props.selectedText}
      </span>
      {props.extension}
      <Button variant="subtle" size="compact-sm" onClick={props.clear}>
        {props.deselectLabel}
      </Button>
      <span className={classes.actions}>{props.children}</span>
    </div>
  );
}
