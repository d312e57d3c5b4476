// The account's own mail servers: how each is doing, in the order in which they are used; and how its
// sending domains are being warmed up.
import { Button, Progress } from '@mantine/core';
import { IconPlus, IconServer } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useRef } from 'react';
import { text, useAddress } from '#platform/web/address.ts';
import { useFormats } from '#platform/web/formats.ts';
import { toast } from '#platform/web/notices.tsx';
import { touch, useAct } from '#platform/web/queries.ts';
import { usersPath } from '#platform/web/session.ts';
import { useTexts } from '#platform/web/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useTestMode } from '#platform/web/ui/test-mode.tsx';
import { keptOf } from '../relay-limits.ts';
import type { ListedRelay, Quota } from '../relays-contract.ts';
import { api, RELAYS } from './queries.ts';
import { RelayDot } from './relay-state.tsx';
import classes from './relays.module.css';
import type { Tried } from './trial-dialog.tsx';
import { WarmUps } from './warm-ups.tsx';
import { Webhooks } from './webhooks.tsx';

const TrialDialog = lazy(() => import('./trial-dialog.tsx'));
const NEWS_MS = 10_000;
/** The relay being tried: adding one leads here with its own. */
const address = { try: text() };

export default function RelaysScreen() {
  const t = useTexts('delivery');
  const isTest = useTestMode();
  const relays = useQuery({
    ...api.query('GET /client-api/api/relays', {}),
    refetchInterval: NEWS_MS,
  });
  const [{ try: tried }, set] = useAddress(address);
  const setTrial = (id: string) => set({ try: id }, { replace: true });
  const trial = relays.data?.data.find((relay) => relay.id === tried);
  // Loaded when first opened, then kept: a closing dialog gives the focus back.
  const wasOpened = useRef(false);
  wasOpened.current ||= trial !== undefined;
  const action = (
    <Button
      component={Link}
      to="/settings/relays/new"
      leftSection={<IconPlus size={18} stroke={1.75} />}
    >
      {t('add')}
    </Button>
  );
  return (
    <Page
      title={t('title')}
      description={t(isTest ? 'descriptionTest' : 'description')}
      actions={action}
      width="reading"
    >
      {relays.data ? (
        <Relays relays={relays.data.data} onTry={({ id }) => setTrial(id)} action={action} />
      ) : relays.isError ? (
        <FailedState error={relays.error} retry={() => void relays.refetch()} />
      ) : (
        <LoadingState rows={3} />
      )}
      <WarmUps />
      <Webhooks />
      <Suspense fallback={null}>
        {wasOpened.current && (
          <TrialDialog tried={trial && triedOf(trial)} close={() => setTrial('')} />
        )}
      </Suspense>
    </Page>
  );
}

const triedOf = (relay: ListedRelay): Tried => ({
  title: relay.title,
  username: relay.username,
  relay,
  attempt: async (from) => {
    const call = { params: { id: relay.id }, body: { from } };
    const { data } = await api('POST /client-api/api/relays/{id}/test', call);
    await touch(RELAYS, usersPath);
    return data;
  },
});

function Relays({
  relays,
  onTry,
  action,
}: {
  relays: readonly ListedRelay[];
  onTry: (relay: ListedRelay) => void;
  action: React.ReactNode;
}) {
  const t = useTexts('delivery');
  if (relays.length === 0) {
    return (
      <EmptyState icon={IconServer} title={t('empty.title')} action={action}>
        {t('empty.text')}
      </EmptyState>
    );
  }
  return (
    <ul className={classes.list}>
      {relays.map((relay) => (
        <RelayCard key={relay.id} relay={relay} isFirst={isFirst(relay, relays)} onTry={onTry} />
      ))}
    </ul>
  );
}

/** Of several: used before the others. */
function isFirst(relay: ListedRelay, relays: readonly ListedRelay[]): boolean | undefined {
  const on = relays.filter((one) => one.enabled);
  if (on.length < 2 || !relay.enabled) return undefined;
  return relay.priority === Math.min(...on.map((one) => one.priority));
}

function RelayCard({
  relay,
  isFirst,
  onTry,
}: {
  relay: ListedRelay;
  isFirst: boolean | undefined;
  onTry: (relay: ListedRelay) => void;
}) {
  const t = useTexts('delivery');
  const { dateTime } = useFormats();
  const { health, quotas } = relay;
  // Where the hour and the day are used up, there is more once both have room.
  const lastAt = quotas.reduce<string | null>(
    (last, { more_at: at }) => (at && (!last || Date.parse(at) > Date.parse(last)) ? at : last),
    null,
  );
  const last = quotas.find((quota) => lastAt && quota.more_at === lastAt);
  const toggle = useAct(
    () =>
      api('PATCH /client-api/api/relays/{id}', {
        params: { id: relay.id },
        body: { enabled: !relay.enabled },
      }),
    // Where emails go changes with it: whether they stay in the test inbox.
    { touches: [RELAYS, usersPath] },
  );
  const remove = async () => {
    const isDone = await confirm({
      title: t('remove.title', { title: relay.title }),
      message: t('remove.message'),
      confirm: t('remove.action'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/relays/{id}', { params: { id: relay.id } }),
    });
    if (!isDone) return;
    toast(t('remove.done', { title: relay.title }));
    await touch(RELAYS, usersPath);
  };
  return (
    <li className={classes.card}>
      <div className={classes.head}>
        <h2>
          <Link to="/settings/relays/$relay" params={{ relay: relay.id }}>
            <bdi>{relay.title}</bdi>
          </Link>
        </h2>
        <RelayDot relay={relay} />
      </div>
      <p>
        <bdi dir="ltr">
          {relay.host}
          {relay.kind === 'smtp' && `:${relay.port}`}
        </bdi>
        {isFirst !== undefined && ` · ${t(isFirst ? 'card.first' : 'card.spare')}`}
        {isFirst !== undefined && ` · ${t('card.weight', { weight: relay.weight })}`}
      </p>
      <Limits relay={relay} />
      {quotas.map((quota) => (
        <Use key={quota.unit} quota={quota} isLast={quota === last} />
      ))}
      {relay.enabled && health.reply && (
        <p>
          <bdi dir="ltr" className={classes.reply}>
            {health.code} {health.reply}
          </bdi>
        </p>
      )}
      {relay.enabled && health.since && <p>{t('card.since', { when: dateTime(health.since) })}</p>}
      <div className={classes.acts}>
        <Button size="xs" variant="default" onClick={() => onTry(relay)}>
          {t('trial.action')}
        </Button>
        <Button
          size="xs"
          variant="default"
          loading={toggle.isPending}
          onClick={() => toggle.mutate(undefined)}
        >
          {t(relay.enabled ? 'card.turnOff' : 'card.turnOn')}
        </Button>
        <Button size="xs" variant="subtle" color="red" onClick={() => void remove()}>
          {t('remove.action')}
        </Button>
      </div>
    </li>
  );
}

/** What left within an hour or a day that is limited; when there is more stands at the last to have room. */
function Use({ quota, isLast }: { quota: Quota; isLast: boolean }) {
  const t = useTexts('delivery');
  const { number, dateTime } = useFormats();
  const { unit, used, most, more_at: moreAt } = quota;
  const more = keptOf(most) > 0 ? 'use.moreForCampaigns' : 'use.more';
  return (
    <div className={classes.use} data-is-used-up={moreAt !== null || undefined}>
      <p>
        {t(`use.${unit}`, { used: number(used), most: number(most) })}
        {moreAt && isLast && ` ${t(more, { when: dateTime(moreAt) })}`}
      </p>
      <Progress
        size="sm"
        value={Math.min(100, (used / most) * 100)}
        color={moreAt ? 'warning' : undefined}
        aria-label={t(`use.${unit}Label`)}
      />
    </div>
  );
}

function Limits({ relay }: { relay: ListedRelay }) {
  const t = useTexts('delivery');
  const { number, list } = useFormats();
  const said = (['second', 'minute', 'hour', 'day'] as const).flatMap((unit) => {
    const most = relay[`per_${unit}`];
    return most === null ? [] : [t(`limits.${unit}`, { count: most, total: number(most) })];
  });
  const domains = relay.domain_limits.map((one) =>
    t('limits.domain', { domain: one.domain, total: number(one.per_minute) }),
  );
  const all = [...said, ...domains];
  return all.length === 0 ? null : <p>{list(all)}</p>;
}
