// Summary of an order: lines, coupon, tax and total.
import { ActionIcon, Button, SegmentedControl, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { ApiError } from '#platform/web/api-error.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { BillingOrder } from '../contract.ts';
import { MAX_COUPON, type Duration } from '../shared.ts';
import classes from './billing.module.css';
import { toMajorUnits } from './queries.ts';

export interface OrderChange {
  duration?: Duration;
  coupon_name?: string;
}

interface Props {
  order: BillingOrder;
  /** Undefined once the order can no longer be changed. */
  change?: ((change: OrderChange) => Promise<unknown>) | undefined;
}

export function OrderSummary({ order, change }: Props) {
  const t = useTexts('billing');
  const { date, money, percent } = useFormats();
  const amount = (minor: number) => money(toMajorUnits(minor), order.currency.toUpperCase());
  return (
    <section className={classes.card} aria-label={t('checkout.summary')}>
      <h2>{t('checkout.summary')}</h2>
      {order.kind === 'plan' && change && (
        <SegmentedControl
          aria-label={t('upgrade.period')}
          value={String(order.duration)}
          onChange={(value) => void change({ duration: value === '1' ? 1 : 12 }).catch(showError)}
          data={[
            { value: '12', label: t('upgrade.annual') },
            { value: '1', label: t('upgrade.monthly') },
          ]}
        />
      )}
      <ul className={classes.lines}>
        {order.lines.map((line) => (
          <li key={line.kind}>
            <span>
              <LineTitle line={line} />
            </span>
            <bdi dir="ltr">{amount(line.net)}</bdi>
          </li>
        ))}
        {(order.tax_percent > 0 || order.is_reverse_charge) && (
          <li>
            <span>
              {order.is_reverse_charge
                ? t('checkout.reverseCharge')
                : `${order.tax_name ?? ''} ${percent(order.tax_percent / 100)}`}
            </span>
            <bdi dir="ltr">{amount(order.tax)}</bdi>
          </li>
        )}
        <li className={classes.total}>
          <span>{t('checkout.total')}</span>
          <bdi dir="ltr">{amount(order.total)}</bdi>
        </li>
      </ul>
      {order.valid_to && order.kind === 'plan' && (
        <p className={classes.muted}>{t('checkout.until', { date: date(order.valid_to) })}</p>
      )}
      {change && <Coupon order={order} change={change} />}
    </section>
  );
}

function LineTitle({ line }: { line: BillingOrder['lines'][number] }) {
  const t = useTexts('billing');
  const { number } = useFormats();
  if (line.kind === 'sms_credit') return t('checkout.smsCredit');
  if (line.kind === 'coupon') return t('checkout.couponLine', { code: line.title });
  if (line.kind === 'unused') return t('checkout.unused');
  return t(line.months === 12 ? 'checkout.planYear' : 'checkout.planMonth', {
    plan: line.title,
    count: line.size ?? 0,
    size: number(line.size ?? 0),
  });
}

function Coupon({ order, change }: { order: BillingOrder; change: NonNullable<Props['change']> }) {
  const t = useTexts('billing');
  const [code, setCode] = useState('');
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const apply = async (coupon_name: string) => {
    setBusy(true);
    setError(undefined);
    try {
      await change({ coupon_name });
      setCode('');
    } catch (error) {
      const couponError = error instanceof ApiError ? error.errors.coupon_name?.[0] : undefined;
      if (couponError) setError(couponError);
      else showError(error);
    } finally {
      setBusy(false);
    }
  };
  if (order.coupon_name) {
    return (
      <p>
        {t('checkout.couponUsed', { code: order.coupon_name })}{' '}
        <ActionIcon
          variant="subtle"
          aria-label={t('checkout.couponRemove')}
          loading={isBusy}
          onClick={() => void apply('')}
        >
          <IconX size={16} />
        </ActionIcon>
      </p>
    );
  }
  return (
    <form
      className={classes.coupon}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (code.trim()) void apply(code);
      }}
    >
      <TextInput
        label={t('checkout.coupon')}
        dir="ltr"
        maxLength={MAX_COUPON}
        value={code}
        error={error}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" loading={isBusy}>
        {t('checkout.apply')}
      </Button>
    </form>
  );
}
