// Choosing a plan: how many subscribers, by the month or the year, in which currency, and the cards.
import '@mantine/core/styles/Slider.layer.css';
import { Button, SegmentedControl, Slider } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useFormats } from '#platform/web/formats.ts';
import { toast } from '#platform/web/notices.tsx';
import { useAct } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { Billing, PlanCard } from '../contract.ts';
import { type Currency, DEFAULT_CURRENCY, DEFAULT_DURATION, type Duration } from '../limits.ts';
import classes from './billing.module.css';
import { api, touchBilling, units, useBilling, usePlans } from './queries.ts';
import { WhereSold } from './where-sold.tsx';

export default function UpgradeScreen() {
  return (
    <WhereSold>
      <Upgrade />
    </WhereSold>
  );
}

function Upgrade() {
  const t = useTexts('billing');
  const billing = useBilling();
  const plans = usePlans();
  const failed = billing.error ?? plans.error;
  return (
    <Page
      title={t('upgrade.title')}
      back={{ to: '/settings/billing', label: t('title') }}
      description={t('upgrade.text')}
    >
      {billing.data && plans.data ? (
        <Choice billing={billing.data.data} plans={plans.data.data.plans} />
      ) : failed ? (
        <FailedState
          error={failed}
          retry={() => void Promise.all([billing.refetch(), plans.refetch()])}
        />
      ) : (
        <LoadingState rows={8} />
      )}
    </Page>
  );
}

interface ChoiceProps {
  billing: Billing;
  plans: PlanCard[];
}

function Choice({ billing, plans }: ChoiceProps) {
  const t = useTexts('billing');
  const { number } = useFormats();
  const label = useId();
  const { plan, usage } = billing;
  const sizes = [
    ...new Set(plans.flatMap((one) => one.sizes.map((size) => size.subscribers))),
  ].sort((one, other) => one - other);
  const needed = Math.max(plan.size ?? 0, usage.subscribers.used);
  const fitting = sizes.findIndex((size) => size >= needed);
  const [index, setIndex] = useState(fitting < 0 ? sizes.length - 1 : fitting);
  const [months, setMonths] = useState<Duration>(plan.duration ?? DEFAULT_DURATION);
  const [currency, setCurrency] = useState<Currency>(plan.currency ?? DEFAULT_CURRENCY);
  const size = sizes[index] ?? 0;
  return (
    <>
      <div className={classes.choice}>
        <div className={classes.slider}>
          <p id={label}>
            {t('upgrade.subscribers')} <b>{number(size)}</b>
          </p>
          <Slider
            aria-labelledby={label}
            thumbLabel={t('upgrade.subscribers')}
            min={0}
            max={sizes.length - 1}
            step={1}
            label={null}
            value={index}
            onChange={setIndex}
            scale={(value) => sizes[value] ?? 0}
          />
        </div>
        <SegmentedControl
          aria-label={t('upgrade.period')}
          value={String(months)}
          onChange={(value) => setMonths(value === '1' ? 1 : 12)}
          data={[
            { value: '12', label: t('upgrade.annual') },
            { value: '1', label: t('upgrade.monthly') },
          ]}
        />
        <SegmentedControl
          aria-label={t('upgrade.currency')}
          value={currency}
          disabled={plan.currency !== null}
          onChange={(value) => setCurrency(value as Currency)}
          data={[
            { value: 'usd', label: '$ USD' },
            { value: 'eur', label: '€ EUR' },
          ]}
        />
      </div>
      <div className={classes.cards}>
        {plans.map((one) => (
          <Card
            key={one.id}
            plan={one}
            plans={plans}
            current={plan}
            chosen={{ size, months, currency }}
          />
        ))}
      </div>
    </>
  );
}

interface CardProps {
  plan: PlanCard;
  plans: PlanCard[];
  current: Billing['plan'];
  chosen: { size: number; months: Duration; currency: Currency };
}

function Card({ plan, plans, current, chosen }: CardProps) {
  const t = useTexts('billing');
  const { money, number } = useFormats();
  const size = plan.sizes.find((one) => one.subscribers >= chosen.size);
  const rank = (id: string | null) => plans.findIndex((one) => one.id === id);
  const isCurrent = plan.id === current.plan_id;
  const isPaid = current.state === 'active';
  const isSame =
    isCurrent && size?.subscribers === current.size && chosen.months === current.duration;
  const isDown =
    isPaid &&
    (rank(plan.id) < rank(current.plan_id) ||
      (isCurrent && (size?.subscribers ?? 0) < (current.size ?? 0)) ||
      (isCurrent && size?.subscribers === current.size && chosen.months < (current.duration ?? 0)));
  const price = size && (chosen.months === 12 ? size.annual : size.monthly)[chosen.currency];
  const code = chosen.currency.toUpperCase();
  return (
    <section className={classes.card} data-current={isCurrent || undefined} aria-label={plan.title}>
      <h2>
        <bdi>{plan.title}</bdi>
        {isCurrent && <span className={classes.badge}>{t('upgrade.current')}</span>}
      </h2>
      {size && price !== undefined ? (
        <>
          <p className={classes.price}>
            <b>{money(units(chosen.months === 12 ? price / 12 : price), code)}</b>{' '}
            {t('upgrade.perMonth')}
          </p>
          <p className={classes.muted}>
            {chosen.months === 12
              ? t('upgrade.billedYear', { amount: money(units(price), code) })
              : t('upgrade.billedMonth')}
          </p>
          <ul className={classes.features}>
            <Feature>
              {t('upgrade.people', { count: size.subscribers, size: number(size.subscribers) })}
            </Feature>
            <Feature>
              {size.emails === null
                ? t('features.unlimited_emails')
                : t('upgrade.emails', { count: size.emails, emails: number(size.emails) })}
            </Feature>
            {plan.features
              .filter((feature) => feature !== 'unlimited_emails')
              .map((feature) => (
                <Feature key={feature}>{t(`features.${feature}`)}</Feature>
              ))}
          </ul>
          <Buy
            plan={plan}
            plans={plans}
            current={current}
            chosen={{ ...chosen, size: size.subscribers }}
            is={{ isSame, isDown, isCurrent }}
          />
        </>
      ) : (
        <p className={classes.muted}>{t('upgrade.notSoLarge')}</p>
      )}
    </section>
  );
}

function Feature({ children }: { children: string }) {
  return (
    <li>
      <IconCheck size={16} stroke={2} aria-hidden="true" />
      {children}
    </li>
  );
}

type BuyProps = CardProps & { is: { isSame: boolean; isDown: boolean; isCurrent: boolean } };

function Buy({ plan, plans, current, chosen, is }: BuyProps) {
  const t = useTexts('billing');
  const navigate = useNavigate();
  const body = { plan_id: plan.id, size: chosen.size, duration: chosen.months };
  const order = useAct(
    () => api('POST /client-api/api/orders', { body: { ...body, currency: chosen.currency } }),
    { onDone: ({ data }) => void navigate({ to: '/checkout/$order', params: { order: data.id } }) },
  );
  const lower = useDowngrade(plan, plans, current, body);
  const verb = is.isSame
    ? t('upgrade.renew')
    : is.isDown
      ? is.isCurrent && chosen.size === current.size
        ? t('upgrade.toMonthly')
        : t('upgrade.downgrade', { plan: plan.title })
      : is.isCurrent
        ? t(chosen.size === current.size ? 'upgrade.toAnnual' : 'upgrade.increase')
        : t('upgrade.choose', { plan: plan.title });
  return (
    <Button
      variant={is.isDown || is.isSame ? 'default' : 'filled'}
      loading={order.isPending}
      onClick={() => (is.isDown ? void lower() : order.mutate(undefined))}
    >
      {verb}
    </Button>
  );
}

/** A smaller plan begins when the paid time is over; before, its features that are lost are named. */
function useDowngrade(
  plan: PlanCard,
  plans: PlanCard[],
  current: Billing['plan'],
  body: { plan_id: string; size: number; duration: Duration },
) {
  const t = useTexts('billing');
  const { date, list } = useFormats();
  const navigate = useNavigate();
  return async () => {
    const had = plans.find((one) => one.id === current.plan_id)?.features ?? [];
    const lost = had.filter((feature) => !plan.features.includes(feature));
    const until = current.valid_to ? date(current.valid_to) : '';
    const isDone = await confirm({
      title: t('downgrade.title', { plan: plan.title }),
      message: [
        t('downgrade.text', { date: until }),
        ...(lost.length > 0
          ? [
              t('downgrade.lost', {
                features: list(lost.map((feature) => t(`features.${feature}`))),
              }),
            ]
          : []),
      ].join(' '),
      confirm: t('upgrade.downgrade', { plan: plan.title }),
      isDanger: true,
      run: () => api('PUT /client-api/api/billing/next', { body }),
    });
    if (!isDone) return;
    toast(t('downgrade.done', { plan: plan.title, date: until }));
    await touchBilling();
    await navigate({ to: '/settings/billing' });
  };
}
