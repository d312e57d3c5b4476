// The account's own mail servers with their states, in order of use; the warm-ups of its sending
// domains; and the webhooks of email providers.
import { Progress } from '@mantine/core';
import { IconServer } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { text, useSearchParams } from '#platform/web/api/address.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { USERS_PATH } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useTestMode } from '#platform/web/ui/test-mode.tsx';
import { computeReserve } from '../relay-limits.ts';
import type { ListedRelay, Quota } from '../relays-contract.ts';
import { OutletCard, OutletHealth } from './outlets/outlet-card.tsx';
import { OUTLET_NEWS_MS, OutletsPage } from './outlets/outlets-page.tsx';
import { api, RELAYS } from './queries.ts';
import { RelayDot } from './relay-state.tsx';
import classes from './relays.module.css';
import type { TestedRelay } from './trial-dialog.tsx';
import { WarmUps } from './warm-ups.tsx';
import { ProviderWebhooks } from './webhooks.tsx';
import { useWasOpened } from '#platform/web/hooks/use-was-opened.ts';

const TrialDialog = lazyWithRetry(() => import('./trial-dialog.tsx'));
/**
 * `try`: the id of the relay that is being tested. After a relay was added, this screen opens with
 * its id.
 */
const address = { try: text() };

export default function RelaysScreen() {
  const t = useTexts('delivery');
  const isTest = useTestMode();
  const relays = useQuery({
    ...api.query('GET /client-api/api/relays', {}),
    refetchInterval: OUTLET_NEWS_MS,
  });
  const [{ try: tried }, set] = useSearchParams(address);
  const setTrial = (id: string) => set({ try: id }, { replace: true });
  const trial = relays.data?.data.find((relay) => relay.id === tried);
  const wasOpened = useWasOpened(trial !== undefined);
  return (
    <OutletsPage
      title={t('title')}
      description={t(isTest ? 'descriptionTest' : 'description')}
      query={relays}
      add={{ to: '/settings/relays/new', label: t('add') }}
      empty={{ icon: IconServer, title: t('empty.title'), text: t('empty.text') }}
      card={(relay, isFirst) => (
        <RelayCard key={relay.id} relay={relay} isFirst={isFirst} test={() => setTrial(relay.id)} />
      )}
    >
      <WarmUps />
      <ProviderWebhooks />
      <Suspense fallback={null}>
        {wasOpened && (
          <TrialDialog testedRelay={trial && triedOf(trial)} close={() => setTrial('')} />
        )}
      </Suspense>
    </OutletsPage>
  );
}

const triedOf = (relay: ListedRelay): TestedRelay => ({
  title: relay.title,
  username: relay.username,
  relay,
  attempt: async (from) => {
    const call = { params: { id: relay.id }, body: { from } };
    const { data } = await api('POST /client-api/api/relays/{id}/test', call);
    await invalidate(RELAYS, USERS_PATH);
    return data;
  },
});

function RelayCard(props: { relay: ListedRelay; isFirst: boolean | undefined; test: () => void }) {
  const { relay, isFirst, test } = props;
  const t = useTexts('delivery');
  const { dateTime } = useFormats();
  const { id, title, enabled, health, quotas } = relay;
  const lastQuota = lastToRecover(quotas);
  const params = { id };
  return (
    <OutletCard
      outlet={relay}
      to={`/settings/relays/${id}`}
      dot={<RelayDot relay={relay} />}
      texts={{
        test: t('trial.action'),
        toggle: t(enabled ? 'card.turnOff' : 'card.turnOn'),
        remove: t('remove.action'),
        removeTitle: t('remove.title', { title }),
        removeText: t('remove.message'),
        removed: t('remove.done', { title }),
      }}
      test={test}
      toggle={() =>
        api('PATCH /client-api/api/relays/{id}', { params, body: { enabled: !enabled } })
      }
      remove={() => api('DELETE /client-api/api/relays/{id}', { params })}
      // Changes also affect whether emails stay in the test inbox.
      invalidates={[RELAYS, USERS_PATH]}
    >
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
        <Use key={quota.unit} quota={quota} isLast={quota === lastQuota} />
      ))}
      {enabled && (
        <OutletHealth
          health={health}
          since={health.since && t('card.since', { when: dateTime(health.since) })}
        />
      )}
    </OutletCard>
  );
}

/**
 * Returns the limit that recovers last: if hour and day are both used up, sending resumes only
 * then.
 */
function lastToRecover(quotas: readonly Quota[]): Quota | undefined {
  const recoveryTime = (quota: Quota | undefined) => Date.parse(quota?.more_at ?? '') || 0;
  return quotas.reduce<Quota | undefined>(
    (lastQuota, quota) => (recoveryTime(quota) > recoveryTime(lastQuota) ? quota : lastQuota),
    undefined,
  );
}

/**
 * Emails sent within a limited hour or day. The limit that recovers last shows when sending
 * resumes.
 */
function Use({ quota, isLast }: { quota: Quota; isLast: boolean }) {
  const t = useTexts('delivery');
  const { number, dateTime } = useFormats();
  const { unit, used, most: limit, more_at: moreAt } = quota;
  const textKey = computeReserve(limit) > 0 ? 'use.moreForCampaigns' : 'use.more';
  return (
    <div className={classes.use} data-is-used-up={moreAt !== null || undefined}>
      <p>
        {t(`use.${unit}`, { used: number(used), most: number(limit) })}
        {moreAt && isLast && ` ${t(textKey, { when: dateTime(moreAt) })}`}
      </p>
      <Progress
        size="sm"
        value={Math.min(100, (used / limit) * 100)}
        color={moreAt ? 'warning' : undefined}
        aria-label={t(`use.${unit}Label`)}
      />
    </div>
  );
}

function Limits({ relay }: { relay: ListedRelay }) {
  const t = useTexts('delivery');
  const { number, list } = useFormats();
  const limitTexts = (['second', 'minute', 'hour', 'day'] as const).flatMap((unit) => {
    const limit = relay[`per_${unit}`];
    return limit === null ? [] : [t(`limits.${unit}`, { count: limit, total: number(limit) })];
  });
  const domains = relay.domain_limits.map((domain_limit) =>
    t('limits.domain', {
      domain: toUnicodeDomain(domain_limit.domain),
      total: number(domain_limit.per_minute),
    }),
  );
  const allLimits = [...limitTexts, ...domains];
  return allLimits.length === 0 ? null : <p>{list(allLimits)}</p>;
}
