// The choice of a plan: number of subscribers, monthly or yearly, currency, and the cards of plans.
import { SegmentedControl, Slider } from '@mantine/core';
import { useId, useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { Billing } from '../contract.ts';
import { type Currency, DEFAULT_CURRENCY, DEFAULT_DURATION, type Duration } from '../shared.ts';
import classes from './billing.module.css';
import { FreeCard, PlanCard } from './plan-card.tsx';
import { type Plans, useBilling, usePlans } from './queries.ts';
import { WhereSold } from './purchase-guard.tsx';

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
  const queryError = billing.error ?? plans.error;
  return (
    <Page
      title={t('upgrade.title')}
      back={{ to: '/settings/billing', label: t('title') }}
      description={t('upgrade.text')}
    >
      {billing.data && plans.data ? (
        <Choice billing={billing.data.data} catalog={plans.data.data} />
      ) : queryError ? (
        <FailedState
          error={queryError}
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
  catalog: Plans;
}

function Choice({ billing, catalog }: ChoiceProps) {
  const t = useTexts('billing');
  const { plan, usage } = billing;
  const { plans } = catalog;
  const sizes = [
    ...new Set(plans.flatMap((plan) => plan.sizes.map((size) => size.subscribers))),
  ].sort((a, b) => a - b);
  const requiredSize = Math.max(plan.size ?? 0, usage.subscribers.used);
  const fitting = sizes.findIndex((size) => size >= requiredSize);
  const [index, setIndex] = useState(fitting < 0 ? sizes.length - 1 : fitting);
  const [months, setMonths] = useState<Duration>(plan.duration ?? DEFAULT_DURATION);
  const [currency, setCurrency] = useState<Currency>(billing.currency ?? DEFAULT_CURRENCY);
  const size = sizes[index] ?? 0;
  return (
    <>
      <div className={classes.choice}>
        <SizeSlider sizes={sizes} index={index} onChange={setIndex} />
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
          disabled={billing.currency !== null}
          onChange={(value) => setCurrency(value as Currency)}
          data={[
            { value: 'usd', label: '$ USD' },
            { value: 'eur', label: '€ EUR' },
          ]}
        />
      </div>
      <div className={classes.plans}>
        <FreeCard catalog={catalog} current={plan} currency={currency} />
        {plans.map((item) => (
          <PlanCard
            key={item.id}
            plan={item}
            catalog={catalog}
            current={plan}
            choice={{ size, months, currency }}
          />
        ))}
      </div>
    </>
  );
}

interface SizeSliderProps {
  sizes: readonly number[];
  index: number;
  onChange: (index: number) => void;
}

function SizeSlider({ sizes, index, onChange }: SizeSliderProps) {
  const t = useTexts('billing');
  const { number } = useFormats();
  const label = useId();
  return (
    <div className={classes.slider}>
      <p id={label}>
        {t('upgrade.subscribers')} <b>{number(sizes[index] ?? 0)}</b>
      </p>
      <Slider
        aria-labelledby={label}
        thumbLabel={t('upgrade.subscribers')}
        min={0}
        max={sizes.length - 1}
        step={1}
        label={null}
        value={index}
        onChange={onChange}
        scale={(value) => sizes[value] ?? 0}
      />
    </div>
  );
}
