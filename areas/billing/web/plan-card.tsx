// Cards of plans: features, price, and the button to order.
import { Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useAct } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Billing, PlanCard as Plan } from '../contract.ts';
import type { Currency, Duration } from '../shared.ts';
import classes from './billing.module.css';
import { useDowngrade, useLimits } from './downgrade.ts';
import { api, type Plans, units } from './queries.ts';

interface CardProps {
  plan: Plan;
  sold: Plans;
  current: Billing['plan'];
  chosen: { size: number; months: Duration; currency: Currency };
}

/** A plan in the chosen size with its button. */
export function PlanCard({ plan, sold, current, chosen }: CardProps) {
  const t = useTexts('billing');
  const { money } = useFormats();
  const limits = useLimits();
  const size = plan.sizes.find((one) => one.subscribers >= chosen.size);
  const rank = (id: string | null) => sold.plans.findIndex((one) => one.id === id);
  const isCurrent = plan.id === current.plan_id;
  const isPaid = current.state === 'active';
  const isSame =
    isCurrent && size?.subscribers === current.size && chosen.months === current.duration;
  const isDown =
    isPaid &&
    (rank(plan.id) < rank(current.plan_id) ||
      (isCurrent && (size?.subscribers ?? 0) < (current.size ?? 0)) ||
      (isCurrent && size?.subscribers === current.size && chosen.months < (current.duration ?? 0)));
  const isGrowing =
    isPaid &&
    (chosen.size > (current.size ?? 0) ||
      (chosen.size === current.size && chosen.months > (current.duration ?? 0)));
  // One primary button among the cards: the current plan in a larger size, else the next plan.
  const next = isPaid ? rank(current.plan_id) + (isGrowing ? 0 : 1) : 0;
  const isNext = rank(plan.id) === next;
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
            {limits(size).map((limit) => (
              <Feature key={limit}>{limit}</Feature>
            ))}
            {plan.features
              .filter((feature) => feature !== 'unlimited_emails')
              .map((feature) => (
                <Feature key={feature}>{t(`features.${feature}`)}</Feature>
              ))}
          </ul>
          <Buy
            plan={plan}
            sold={sold}
            current={current}
            chosen={{ ...chosen, size: size.subscribers }}
            is={{ isSame, isDown, isCurrent, isNext }}
          />
        </>
      ) : (
        <p className={classes.muted}>{t('upgrade.notSoLarge')}</p>
      )}
    </section>
  );
}

/** The free plan, and the button to return to it. */
export function FreeCard({
  sold,
  current,
  currency,
}: {
  sold: Plans;
  current: Billing['plan'];
  currency: Currency;
}) {
  const t = useTexts('billing');
  const { money } = useFormats();
  const limits = useLimits();
  const lower = useDowngrade(sold, current);
  const { free } = sold;
  const isCurrent = current.state === 'free';
  const isNext = current.next !== null && current.next.plan_id === null;
  return (
    <section className={classes.card} data-current={isCurrent || undefined} aria-label={free.title}>
      <h2>
        <bdi>{free.title}</bdi>
        {isCurrent && <span className={classes.badge}>{t('upgrade.current')}</span>}
      </h2>
      <p className={classes.price}>
        <b>{money(0, currency.toUpperCase())}</b> {t('upgrade.perMonth')}
      </p>
      <ul className={classes.features}>
        {[...limits(free), ...free.features.map((feature) => t(`features.${feature}`))].map(
          (one) => (
            <Feature key={one}>{one}</Feature>
          ),
        )}
      </ul>
      {current.state === 'active' && !isNext && (
        <Button variant="default" onClick={() => void lower({ ...free, body: { plan_id: null } })}>
          {t('upgrade.downgrade', { plan: free.title })}
        </Button>
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

type BuyProps = CardProps & { is: Record<'isSame' | 'isDown' | 'isCurrent' | 'isNext', boolean> };

function Buy({ plan, sold, current, chosen, is }: BuyProps) {
  const t = useTexts('billing');
  const navigate = useNavigate();
  const body = { plan_id: plan.id, size: chosen.size, duration: chosen.months };
  const order = useAct(
    () => api('POST /client-api/api/orders', { body: { ...body, currency: chosen.currency } }),
    { onDone: ({ data }) => void navigate({ to: '/checkout/$order', params: { order: data.id } }) },
  );
  const lower = useDowngrade(sold, current);
  const size = plan.sizes.find((one) => one.subscribers === chosen.size);
  const target = {
    title: plan.title,
    features: plan.features,
    subscribers: chosen.size,
    emails: size?.emails ?? null,
    body,
  };
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
      variant={is.isNext && !is.isSame ? 'filled' : 'default'}
      loading={order.isPending}
      onClick={() => (is.isDown ? void lower(target) : order.mutate(undefined))}
    >
      {verb}
    </Button>
  );
}
