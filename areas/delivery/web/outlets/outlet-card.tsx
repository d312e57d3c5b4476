// A card for one mail server or provider: its name and state, the content that the using area
// passes as children, and actions.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { Outlet } from './outlets-page.tsx';
import classes from './outlets.module.css';

type Props = {
  outlet: Outlet;
  to: string;
  dot: React.ReactNode;
  /**
   * Labels from the outlet's area. They are not shared, because in some languages they must agree
   * with the gender of the word for the outlet.
   */
  texts: {
    test: string;
    toggle: string;
    remove: string;
    removeTitle: string;
    removeText: string;
    removed: string;
  };
  test: () => void;
  toggle: () => Promise<unknown>;
  remove: () => Promise<unknown>;
  /** Queries to invalidate after a change. */
  invalidates: string[];
  children: React.ReactNode;
};

export function OutletCard({
  outlet,
  to,
  dot,
  texts,
  test,
  invalidates,
  children,
  ...acts
}: Props) {
  const toggle = useAction(acts.toggle, { invalidates });
  const remove = async () => {
    const isDone = await confirm({
      title: texts.removeTitle,
      message: texts.removeText,
      confirm: texts.remove,
      isDanger: true,
      run: acts.remove,
    });
    if (!isDone) return;
    toast(texts.removed);
    await invalidate(...invalidates);
  };
  return (
    <li className={classes.card}>
      <div className={classes.head}>
        <h2>
          <Link to={to}>
            <bdi>{outlet.title}</bdi>
          </Link>
        </h2>
        {dot}
      </div>
      {children}
      <div className={classes.acts}>
        <Button size="xs" variant="default" onClick={test}>
          {texts.test}
        </Button>
        <Button
          size="xs"
          variant="default"
          loading={toggle.isPending}
          onClick={() => toggle.mutate(undefined)}
        >
          {texts.toggle}
        </Button>
        <Button size="xs" variant="subtle" color="danger" onClick={() => void remove()}>
          {texts.remove}
        </Button>
      </div>
    </li>
  );
}

type OutletHealthView = {
  state: 'unknown' | 'ready' | 'waiting' | 'refused';
  since: string | null;
  code: string | null;
  reply: string | null;
};

const TONES = {
  unknown: 'neutral',
  ready: 'success',
  waiting: 'warning',
  refused: 'danger',
} as const;

export const OutletDot = ({
  state,
  label,
}: {
  state: OutletHealthView['state'] | 'off';
  label: string;
}) => <StatusDot tone={state === 'off' ? 'neutral' : TONES[state]} label={label} />;

/** Shows an outlet's last reply and since when it has been in its current state. */
export function OutletHealth({
  health,
  since,
}: {
  health: OutletHealthView;
  since: string | null;
}) {
  return (
    <>
      {health.reply && (
        <p>
          <bdi dir="ltr" className={classes.reply}>
            {health.code} {health.reply}
          </bdi>
        </p>
      )}
      {since && <p>{since}</p>}
    </>
  );
}
