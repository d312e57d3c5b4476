// How the account's sending domains are being warmed up: today's cap, what of it is used, the day of the
// plan; to be started and ended by hand.
import { Badge, Button, Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/formats.ts';
import { toast } from '#platform/web/notices.tsx';
import { touch } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { askInput } from '#platform/web/ui/input-dialog.tsx';
import type { WarmUp } from '../relays-contract.ts';
import { warmUpCaps } from '../relay-limits.ts';
import { api, WARM_UPS } from './queries.ts';
import classes from './relays.module.css';

/** Mails a day that a domain may be wanted for. */
const TARGETS = [1_000, 5_000, 20_000, 100_000, 500_000, 2_000_000] as const;

export function WarmUps() {
  const t = useTexts('delivery');
  const plans = useQuery(api.query('GET /client-api/api/warm_ups', {}));
  const list = plans.data?.data ?? [];
  if (list.length === 0) return null;
  return (
    <section className={classes.warmUps} aria-labelledby="warm-ups">
      <h2 id="warm-ups">{t('warmUp.title')}</h2>
      <p>{t('warmUp.text')}</p>
      <ul className={classes.list}>
        {list.map((plan) => (
          <Plan key={plan.domain} plan={plan} />
        ))}
      </ul>
    </section>
  );
}

function Plan({ plan }: { plan: WarmUp }) {
  const t = useTexts('delivery');
  const { number } = useFormats();
  const { domain, state } = plan;
  const start = async () => {
    const target = await askInput({
      type: 'select',
      title: t('warmUp.startTitle', { domain }),
      label: t('warmUp.target'),
      description: t('warmUp.targetText'),
      value: String(TARGETS[2]),
      options: TARGETS.map((wanted) => ({
        value: String(wanted),
        label: t('warmUp.option', { total: number(wanted), count: warmUpCaps(wanted).length }),
      })),
      confirm: t('warmUp.start'),
      send: (wanted) =>
        api('POST /client-api/api/warm_ups', { body: { domain, target: Number(wanted) } }),
    });
    if (target === undefined) return;
    toast(t('warmUp.started', { domain }));
    await touch(WARM_UPS);
  };
  const end = async () => {
    const isDone = await confirm({
      title: t('warmUp.endTitle', { domain }),
      message: t('warmUp.endMessage'),
      confirm: t('warmUp.end'),
      isDanger: true,
      run: () => api('POST /client-api/api/warm_ups/end', { body: { domain } }),
    });
    if (isDone) await touch(WARM_UPS);
  };
  return (
    <li className={classes.card}>
      <div className={classes.head}>
        <h3>
          <bdi>{domain}</bdi>
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
      <div className={classes.acts}>
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
        aria-label={t('warmUp.progress', { domain: plan.domain })}
        mt={4}
      />
    </>
  );
}
