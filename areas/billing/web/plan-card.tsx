// Cards of plans: features, price, and the button to order.
import { Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Billing, PlanCard as Plan } from '../contract.ts';
import type { Currency, Duration } from '../shared.ts';
import classes from './billing.module.css';
import { useDowngrade, useLimits } from './downgrade.ts';
import { api, type Plans, toMajorUnits } from './queries.ts';

interface CardProps {
  plan: Plan;
  catalog: Plans;
  current: Billing['plan'];
  choice: { size: number; months: Duration; currency: Currency };
}

type CardState = Record<'isSame' | 'isDown' | 'isCurrent' | 'isNext', boolean>;

/** Returns how the plan in the chosen size and duration relates to the current plan. */
function cardStateOf({ plan, catalog, current, choice }: CardProps): CardState {
  const size = sizeOf(plan, choice.size)?.subscribers;
  const currentSize = current.size ?? 0;
  const currentMonths = current.duration ?? 0;
  const rank = (id: string | null) => catalog.plans.findIndex((plan) => plan.id === id);
  const isPaid = current.state === 'active';
  const isCurrent = plan.id === current.plan_id;
  const isSameSize = isCurrent && size === current.size;
  const isSmaller = isCurrent && (size ?? 0) < currentSize;
  const isShorter = isSameSize && choice.months < currentMonths;
  const isLower = rank(plan.id) < rank(current.plan_id);
  const isGrowing =
    choice.size > currentSize || (choice.size === current.size && choice.months > currentMonths);
  // This plan's card has the primary button. It is the current plan if a larger size or a longer
  // duration is chosen, and the next higher plan if not. Without a paid plan, it is the first plan.
  const next = isPaid ? rank(current.plan_id) + (isGrowing ? 0 : 1) : 0;
  return {
    isCurrent,
    isSame: isSameSize && choice.months === current.duration,
    isDown: isPaid && (isLower || isSmaller || isShorter),
    isNext: rank(plan.id) === next,
  };
}

/** Returns the smallest size of the plan for the chosen number of subscribers. */
const sizeOf = (plan: Plan, subscribers: number) =>
  plan.sizes.find((size) => size.subscribers >= subscribers);

/** The card of a plan in the chosen size, with the button to order or downgrade. */
export function PlanCard(props: CardProps) {
  const { plan, choice } = props;
  const t = useTexts('billing');
  const limits = useLimits();
  const state = cardStateOf(props);
  const size = sizeOf(plan, choice.size);
  const price = size && (choice.months === 12 ? size.annual : size.monthly)[choice.currency];
  return (
    <section
      className={classes.card}
      data-current={state.isCurrent || undefined}
      aria-label={plan.title}
    >
      <h2>
        <bdi>{plan.title}</bdi>
        {state.isCurrent && <span className={classes.badge}>{t('upgrade.current')}</span>}
      </h2>
      {size && price !== undefined ? (
        <>
          <Price price={price} months={choice.months} currency={choice.currency} />
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
          <Buy {...props} choice={{ ...choice, size: size.subscribers }} cardState={state} />
        </>
      ) : (
        <p className={classes.muted}>{t('upgrade.notSoLarge')}</p>
      )}
    </section>
  );
}

type PriceProps = { price: number; months: Duration; currency: Currency };

/** The price per month, and the billed amount. */
function Price({ price, months, currency }: PriceProps) {
  const t = useTexts('billing');
  const { money } = useFormats();
  const code = currency.toUpperCase();
  const isYear = months === 12;
  return (
    <>
      <p className={classes.price}>
        <b>{money(toMajorUnits(isYear ? price / 12 : price), code)}</b> {t('upgrade.perMonth')}
      </p>
      <p className={classes.muted}>
        {isYear
          ? t('upgrade.billedYear', { amount: money(toMajorUnits(price), code) })
          : t('upgrade.billedMonth')}
      </p>
    </>
  );
}

/** The free plan, and the button to return to it. */
export function FreeCard({
  catalog,
  current,
  currency,
}: {
  catalog: Plans;
  current: Billing['plan'];
  currency: Currency;
}) {
  const t = useTexts('billing');
  const { money } = useFormats();
  const limits = useLimits();
  const lower = useDowngrade(catalog, current);
  const { free } = catalog;
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
          (text) => (
            <Feature key={text}>{text}</Feature>
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

type BuyProps = CardProps & { cardState: CardState };

function Buy({ plan, catalog, current, choice, cardState }: BuyProps) {
  const t = useTexts('billing');
  const navigate = useNavigate();
  const body = { plan_id: plan.id, size: choice.size, duration: choice.months };
  const order = useAction(
    () => api('POST /client-api/api/orders', { body: { ...body, currency: choice.currency } }),
    { onDone: ({ data }) => void navigate({ to: '/checkout/$order', params: { order: data.id } }) },
  );
  const lower = useDowngrade(catalog, current);
  const size = plan.sizes.find((size) => size.subscribers === choice.size);
  const target = {
    title: plan.title,
    features: plan.features,
    subscribers: choice.size,
    emails: size?.emails ?? null,
    body,
  };
  const verb = cardState.isSame
    ? t('upgrade.renew')
    : cardState.isDown
      ? cardState.isCurrent && choice.size === current.size
        ? t('upgrade.toMonthly')
        : t('upgrade.downgrade', { plan: plan.title })
      : cardState.isCurrent
        ? t(choice.size === current.size ? 'upgrade.toAnnual' : 'upgrade.increase')
        : t('upgrade.choose', { plan: plan.title });
  return (
    <Button
      variant={cardState.isNext && !cardState.isSame ? 'filled' : 'default'}
      loading={order.isPending}
      onClick={() => (cardState.isDown ? void lower(target) : order.mutate(undefined))}
    >
      {verb}
    </Button>
  );
}
