// Warm-ups of the account's sending domains, with the day of the plan, today's cap and the emails
// sent today. Users can start and end warm-ups.
import { Badge, Button, Progress } from '@mantine/core';
import { IconFlame } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import type { WarmUp } from '../relays-contract.ts';
import { computeWarmUpCaps } from '../relay-limits.ts';
import { api, WARM_UPS } from './queries.ts';
import outlets from './outlets/outlets.module.css';
import classes from './relays.module.css';

const ANCHOR = 'warm-ups';

/** Daily volumes from which the user chooses the target of a warm-up. */
const TARGETS = [1_000, 5_000, 20_000, 100_000, 500_000, 2_000_000] as const;

export function WarmUps() {
  const t = useTexts('delivery');
  const plans = useQuery(api.query('GET /client-api/api/warm_ups', {}));
  return (
    <section className={classes.warmUps} aria-labelledby="warm-ups">
      <h2 id="warm-ups">{t('warmUp.title')}</h2>
      <p>{t('warmUp.text')}</p>
      {plans.data ? (
        <Plans plans={plans.data.data} />
      ) : plans.isError ? (
        <FailedState error={plans.error} retry={() => void plans.refetch()} />
      ) : (
        <LoadingState rows={2} />
      )}
    </section>
  );
}

function Plans({ plans }: { plans: readonly WarmUp[] }) {
  const t = useTexts('delivery');
  const list = useRef<HTMLUListElement>(null);
  const hash = useLocation({ select: (location) => location.hash });
  // The lists above load later than the page, so the position is known only now.
  useEffect(() => {
    if (hash === ANCHOR) list.current?.parentElement?.scrollIntoView();
  }, [hash]);
  if (plans.length === 0) {
    const action = (
      <Button component={Link} to="/settings/domains" variant="default">
        {t('warmUp.toDomains')}
      </Button>
    );
    return (
      <EmptyState icon={IconFlame} title={t('warmUp.none.title')} action={action}>
        {t('warmUp.none.text')}
      </EmptyState>
    );
  }
  return (
    <ul className={outlets.list} ref={list}>
      {plans.map((plan) => (
        <Plan key={plan.domain} plan={plan} />
      ))}
    </ul>
  );
}

function Plan({ plan }: { plan: WarmUp }) {
  const t = useTexts('delivery');
  const { number } = useFormats();
  const { domain, state } = plan;
  const displayDomain = toUnicodeDomain(domain);
  const { start, end } = useWarmUpActs(domain);
  return (
    <li className={outlets.card}>
      <div className={outlets.head}>
        <h3>
          <bdi dir="ltr">{displayDomain}</bdi>
        </h3>
        {state === 'suggested' && (
          <Badge variant="light" color="thread">
            {t('warmUp.suggested')}
          </Badge>
        )}
      </div>
      {state === 'running' ? (
        <Running plan={plan} />
      ) : (
        <p>{t(`warmUp.states.${state}`, { days: number(plan.days) })}</p>
      )}
      <div className={outlets.acts}>
        {state === 'running' ? (
          <Button size="xs" variant="default" onClick={() => void end()}>
            {t('warmUp.end')}
          </Button>
        ) : (
          <Button
            size="xs"
            variant={state === 'suggested' ? 'light' : 'default'}
            onClick={() => void start()}
          >
            {t('warmUp.start')}
          </Button>
        )}
      </div>
    </li>
  );
}

function useWarmUpActs(domain: string) {
  const t = useTexts('delivery');
  const { number } = useFormats();
  const displayDomain = toUnicodeDomain(domain);
  const start = async () => {
    const target = await promptInput({
      type: 'select',
      title: t('warmUp.startTitle', { domain: displayDomain }),
      label: t('warmUp.target'),
      description: t('warmUp.targetText'),
      value: String(TARGETS[2]),
      options: TARGETS.map((volume) => ({
        value: String(volume),
        label: t('warmUp.option', {
          total: number(volume),
          count: computeWarmUpCaps(volume).length,
        }),
      })),
      confirm: t('warmUp.start'),
      send: (volume) =>
        api('POST /client-api/api/warm_ups', { body: { domain, target: Number(volume) } }),
    });
    if (target === undefined) return;
    toast(t('warmUp.started', { domain: displayDomain }));
    await invalidate(WARM_UPS);
  };
  const end = async () => {
    const isDone = await confirm({
      title: t('warmUp.endTitle', { domain: displayDomain }),
      message: t('warmUp.endMessage'),
      confirm: t('warmUp.end'),
      isDanger: true,
      run: () => api('POST /client-api/api/warm_ups/end', { body: { domain } }),
    });
    if (isDone) await invalidate(WARM_UPS);
  };
  return { start, end };
}

function Running({ plan }: { plan: WarmUp }) {
  const t = useTexts('delivery');
  const { number, dateTime } = useFormats();
  const cap = plan.cap ?? 0;
  return (
    <>
      <p>
        {t('warmUp.day', { day: plan.day, days: plan.days })}{' '}
        {t('warmUp.used', { used: number(plan.used), cap: number(cap) })}{' '}
        {plan.next_day_at && plan.used >= cap
          ? t('warmUp.next', { when: dateTime(plan.next_day_at) })
          : ''}
      </p>
      <Progress
        value={cap === 0 ? 0 : (plan.used / cap) * 100}
        aria-label={t('warmUp.progress', { domain: toUnicodeDomain(plan.domain) })}
        mt={4}
      />
      <details className={classes.plan}>
        <summary>{t('warmUp.plan')}</summary>
        <Days plan={plan} />
      </details>
    </>
  );
}

/** Shows a table of the plan's days, with the cap of each and the emails sent on it. */
function Days({ plan }: { plan: WarmUp }) {
  const t = useTexts('delivery');
  const { number } = useFormats();
  const sentOn = (day: number): string => {
    const sentCount = plan.sent[day - 1];
    if (sentCount === undefined) return '';
    return sentCount === null ? '–' : number(sentCount);
  };
  return (
    <table
      className={classes.days}
      aria-label={t('warmUp.planOf', { domain: toUnicodeDomain(plan.domain) })}
    >
      <thead>
        <tr>
          <th scope="col">{t('warmUp.columns.day')}</th>
          <th scope="col">{t('warmUp.columns.most')}</th>
          <th scope="col">{t('warmUp.columns.sent')}</th>
        </tr>
      </thead>
      <tbody>
        {plan.caps.map((cap, at) => {
          const isToday = at + 1 === plan.day;
          return (
            // The index is the key because a day has no other id.
            <tr key={at} aria-current={isToday ? 'date' : undefined}>
              <td>
                {number(at + 1)}
                {isToday && (
                  <Badge ms={8} size="sm" variant="light" color="thread">
                    {t('warmUp.today')}
                  </Badge>
                )}
              </td>
              <td>{number(cap)}</td>
              <td>{sentOn(at + 1)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
