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
  /** What the panel is called beside others of the same title; its heading is one lower then. */
  label?: string;
  /** Beside the title, at the end. */
  aside?: ReactNode;
  rows?: number;
  children: (data: Data) => ReactNode;
}

export function Panel<Data>(props: PanelProps<Data>) {
  const { title, query, failed, label, aside, rows = 3, children } = props;
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
