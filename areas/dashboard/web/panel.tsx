// A panel of the dashboard: each has its own loading, error and empty state.
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import classes from './dashboard.module.css';

interface PanelProps<Data> {
  title: string;
  query: UseQueryResult<Data>;
  /** The error text; defaults to the general text. */
  errorText?: string;
  /**
   * Accessible name of a panel under a heading of several panels; it lowers the title by one level.
   */
  label?: string;
  /** Shown at the end of the title's row. */
  trailing?: ReactNode;
  rows?: number;
  children: (data: Data) => ReactNode;
}

export function Panel<Data>(props: PanelProps<Data>) {
  const { title, query, errorText, label, trailing, rows = 3, children } = props;
  const Heading = label === undefined ? 'h2' : 'h3';
  const id = useId();
  return (
    <section
      className={classes.panel}
      aria-label={label}
      aria-labelledby={label === undefined ? id : undefined}
    >
      <header className={classes.panelHead}>
        <Heading id={id} className={classes.panelTitle}>
          {title}
        </Heading>
        {trailing}
      </header>
      {query.data !== undefined ? (
        children(query.data)
      ) : query.isError ? (
        <FailedState error={query.error} title={errorText} retry={() => void query.refetch()} />
      ) : (
        <LoadingState rows={rows} />
      )}
    </section>
  );
}
