// Purchase of SMS credit: a preset or custom amount, and SMS prices by country.
import { Button, NumberInput, SegmentedControl } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import {
  MIN_CREDIT,
  MAX_CREDIT,
  CREDIT_PRESETS,
  type Currency,
  DEFAULT_CURRENCY,
} from '../shared.ts';
import classes from './billing.module.css';
import { api, useBilling, usePlans } from './queries.ts';
import { WhereSold } from './purchase-guard.tsx';

export default function CreditScreen() {
  return (
    <WhereSold>
      <Credit />
    </WhereSold>
  );
}

function Credit() {
  const t = useTexts('billing');
  const billing = useBilling();
  return (
    <Page
      title={t('credit.title')}
      back={{ to: '/settings/billing', label: t('title') }}
      description={t('credit.text')}
      width="reading"
    >
      {billing.data ? (
        <Choice currency={billing.data.data.currency} />
      ) : billing.isError ? (
        <FailedState error={billing.error} retry={() => void billing.refetch()} />
      ) : (
        <LoadingState rows={5} />
      )}
    </Page>
  );
}

function Choice({ currency: fixed }: { currency: Currency | null }) {
  const t = useTexts('billing');
  const navigate = useNavigate();
  const [currency, setCurrency] = useState<Currency>(fixed ?? DEFAULT_CURRENCY);
  const [amount, setAmount] = useState<number | string>(CREDIT_PRESETS[1]);
  const code = currency.toUpperCase();
  const isValid =
    typeof amount === 'number' &&
    Number.isInteger(amount) &&
    amount >= MIN_CREDIT &&
    amount <= MAX_CREDIT;
  const order = useAction(
    (credit: number) => api('POST /client-api/api/orders', { body: { credit, currency } }),
    {
      onDone: ({ data }) =>
        void navigate({ to: '/sms-credits-purchase/$order', params: { order: data.id } }),
    },
  );
  return (
    <div className={classes.checkout}>
      <form
        className={classes.card}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isValid) order.mutate(amount);
        }}
      >
        <h2>{t('credit.amount')}</h2>
        <Presets amount={amount} onChange={setAmount} code={code} />
        <AmountField amount={amount} onChange={setAmount} code={code} isValid={isValid} />
        <SegmentedControl
          aria-label={t('upgrade.currency')}
          value={currency}
          disabled={fixed !== null}
          onChange={(value) => setCurrency(value as Currency)}
          data={[
            { value: 'usd', label: '$ USD' },
            { value: 'eur', label: '€ EUR' },
          ]}
        />
        <Button type="submit" loading={order.isPending} disabled={!isValid}>
          {t('credit.continue')}
        </Button>
      </form>
      <Prices amount={isValid ? amount : 0} currency={code} />
    </div>
  );
}

interface AmountProps {
  amount: number | string;
  onChange: (amount: number | string) => void;
  /** The currency code, in upper case. */
  code: string;
}

function Presets({ amount, onChange, code }: AmountProps) {
  const t = useTexts('billing');
  const { money } = useFormats();
  return (
    <div className={classes.presets} role="group" aria-label={t('credit.amount')}>
      {CREDIT_PRESETS.map((preset) => (
        <Button
          key={preset}
          variant={amount === preset ? 'light' : 'default'}
          aria-pressed={amount === preset}
          onClick={() => onChange(preset)}
        >
          {money(preset, code)}
        </Button>
      ))}
    </div>
  );
}

function AmountField({ amount, onChange, code, isValid }: AmountProps & { isValid: boolean }) {
  const t = useTexts('billing');
  const { money } = useFormats();
  return (
    <NumberInput
      label={t('credit.own')}
      value={amount}
      onChange={onChange}
      min={MIN_CREDIT}
      max={MAX_CREDIT}
      allowDecimal={false}
      clampBehavior="none"
      error={
        isValid
          ? null
          : t('credit.bounds', {
              least: money(MIN_CREDIT, code),
              most: money(MAX_CREDIT, code),
            })
      }
    />
  );
}

/** Decimals of SMS prices, which may be fractions of a cent. */
const MAX_DIGITS = 4;

/**
 * Lists the SMS prices by country, and the number of SMS that the amount buys at each price. The
 * price `other`, if there is one, applies to all countries without their own.
 */
function Prices({ amount, currency }: { amount: number; currency: string }) {
  const t = useTexts('billing');
  const { money, number, region } = useFormats();
  const plans = usePlans();
  if (!plans.data) return <LoadingState rows={5} />;
  const prices = Object.entries(plans.data.data.sms_prices);
  return (
    <section className={classes.card} aria-label={t('credit.prices')}>
      <h2>{t('credit.prices')}</h2>
      <ul className={`${classes.lines} ${classes.prices}`}>
        {prices.map(([country, micros]) => (
          <li key={country}>
            <span>{country === 'other' ? t('credit.others') : region(country)}</span>
            <span>
              <bdi dir="ltr">{money(micros / 1_000_000, currency, MAX_DIGITS)}</bdi>
              {amount > 0 && micros > 0 && (
                <span className={classes.muted}>
                  {' '}
                  {t('credit.texts', {
                    count: Math.floor((amount * 1_000_000) / micros),
                    texts: number(Math.floor((amount * 1_000_000) / micros)),
                  })}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
      <p className={classes.muted}>{t('credit.partsText')}</p>
    </section>
  );
}
