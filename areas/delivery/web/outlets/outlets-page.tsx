// An account's mail servers or SMS providers, as a page of cards in the order of use.
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import classes from './outlets.module.css';

/** Interval for refreshing the states of the outlets. */
export const OUTLET_NEWS_MS = 10_000;

export type Outlet = { id: string; title: string; enabled: boolean; priority: number };

type Props<Item extends Outlet> = {
  title: string;
  description: string;
  query: UseQueryResult<{ data: Item[] }>;
  add: { to: string; label: string };
  empty: { icon: React.ComponentProps<typeof EmptyState>['icon']; title: string; text: string };
  /**
   * @param isFirst whether the outlet has the first priority among the active ones; undefined if it
   * is inactive or the only active one
   */
  card: (outlet: Item, isFirst: boolean | undefined) => React.ReactNode;
  /** Additional content of the page. */
  children?: React.ReactNode;
};

export function OutletsPage<Item extends Outlet>(props: Props<Item>) {
  const { title, description, query, add, empty, card, children } = props;
  const action = (
    <Button component={Link} to={add.to} leftSection={<IconPlus size={18} stroke={1.75} />}>
      {add.label}
    </Button>
  );
  return (
    <Page title={title} description={description} actions={action} width="reading">
      {query.data ? (
        <Cards outlets={query.data.data} card={card}>
          <EmptyState icon={empty.icon} title={empty.title} action={action}>
            {empty.text}
          </EmptyState>
        </Cards>
      ) : query.isError ? (
        <FailedState error={query.error} retry={() => void query.refetch()} />
      ) : (
        <LoadingState rows={3} />
      )}
      {children}
    </Page>
  );
}

interface CardsProps<Item extends Outlet> extends Pick<Props<Item>, 'card'> {
  outlets: readonly Item[];
  /** Shown instead of an empty list. */
  children: React.ReactNode;
}

function Cards<Item extends Outlet>({ outlets, card, children }: CardsProps<Item>) {
  if (outlets.length === 0) return children;
  return (
    <ul className={classes.list}>
      {outlets.map((outlet) => card(outlet, isFirst(outlet, outlets)))}
    </ul>
  );
}

function isFirst(outlet: Outlet, outlets: readonly Outlet[]): boolean | undefined {
  const active = outlets.filter((outlet) => outlet.enabled);
  if (active.length < 2 || !outlet.enabled) return undefined;
  return outlet.priority === Math.min(...active.map((outlet) => outlet.priority));
}
