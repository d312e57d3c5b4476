// A panel of the dashboard: each loads, fails and is empty by itself.
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import classes from './dashboard.module.css';

interface PanelProps<Data> {
  title: string;
  query: UseQueryResult<Data>;
  /** What could not be had; without it the shared words for the error. */
  failed?: string;
  /** Beside the title, at the end. */
  aside?: ReactNode;
  rows?: number;
  children: (data: Data) => ReactNode;
}

export function Panel<Data>(props: PanelProps<Data>) {
  const { title, query, failed, aside, rows = 3, children } = props;
  const id = useId();
  return (
    <section className={classes.panel} aria-labelledby={id}>
      <header className={classes.panelHead}>
        <h2 id={id} className={classes.panelTitle}>
          {title}
        </h2>
        {aside}
      </header>
      {query.data !== undefined ? (
        children(query.data)
      ) : query.isError ? (
        <FailedState error={query.error} title={failed} retry={() => void query.refetch()} />
      ) : (
        <LoadingState rows={rows} />
      )}
    </section>
  );
}
