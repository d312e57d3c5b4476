// Plan, usage, payment methods, invoices and the email log of the account.
import { Anchor, Button, SegmentedControl } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '#platform/web/api/queries.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { Billing } from '../contract.ts';
import classes from './billing.module.css';
import { EmailUsage } from './email-usage.tsx';
import { Invoices } from './invoices.tsx';
import { Methods } from './methods.tsx';
import { api, invalidateBilling, useBilling } from './queries.ts';
import { UsageBar } from './usage-bar.tsx';
import { VatNumber } from './vat-number.tsx';

export default function BillingScreen() {
  const t = useTexts('billing');
  const billing = useBilling();
  return (
    <Page title={t('title')} width="reading">
      {billing.data ? (
        <BillingView billing={billing.data.data} />
      ) : billing.isError ? (
        <FailedState error={billing.error} retry={() => void billing.refetch()} />
      ) : (
        <LoadingState rows={8} />
      )}
    </Page>
  );
}

function BillingView({ billing }: { billing: Billing }) {
  const t = useTexts('billing');
  return (
    <>
      {billing.is_suspended && (
        <p className={classes.notice} role="alert">
          {t('suspended')}
        </p>
      )}
      {billing.is_on && billing.is_test && (
        <p className={classes.notice}>
          {t('testMode')}{' '}
          <Anchor href="/gateway" underline="always">
            {t('testGateway')}
          </Anchor>
        </p>
      )}
      <div className={classes.cards}>
        <PlanCard billing={billing} />
        <UsageCard billing={billing} />
        <SmsCard billing={billing} />
      </div>
      {billing.is_on && <Lists />}
    </>
  );
}

function PlanCard({ billing: { plan, is_on: isOn } }: { billing: Billing }) {
  const t = useTexts('billing');
  const { date, number } = useFormats();
  const isPaid = plan.state === 'active' || plan.state === 'past_due';
  const title = plan.state === 'unlimited' ? t('plan.unlimited') : plan.title;
  return (
    <section className={classes.card} aria-label={t('plan.yours')}>
      <h2>{t('plan.yours')}</h2>
      <p className={classes.planName}>
        <bdi>{title}</bdi>
        <StatusDot
          tone={plan.state === 'past_due' ? 'danger' : 'success'}
          label={t(plan.state === 'past_due' ? 'plan.pastDue' : 'plan.active')}
        />
      </p>
      {isPaid && plan.size !== null && (
        <p className={classes.muted}>
          {t('plan.size', { count: plan.size, size: number(plan.size) })}
        </p>
      )}
      {plan.valid_to && (
        <p className={classes.muted}>{t('plan.validUntil', { date: date(plan.valid_to) })}</p>
      )}
      {plan.next && <Next next={plan.next} />}
      {plan.state === 'past_due' && <p className={classes.over}>{t('plan.pastDueText')}</p>}
      {isOn && (
        <div className={classes.acts}>
          {plan.renewal_order !== null && (
            <Button component={Link} to={`/checkout/${plan.renewal_order}`}>
              {t('plan.payNow')}
            </Button>
          )}
          <Button
            component={Link}
            to="/settings/billing/upgrade"
            variant={plan.renewal_order === null ? 'filled' : 'default'}
          >
            {t(isPaid ? 'plan.change' : 'plan.choose')}
          </Button>
        </div>
      )}
    </section>
  );
}

function Next({ next }: { next: NonNullable<Billing['plan']['next']> }) {
  const t = useTexts('billing');
  const { data } = useBilling();
  const plan = data?.data.plan;
  const keepPlan = useAction(
    () =>
      api('PUT /client-api/api/billing/next', {
        body: {
          plan_id: plan?.plan_id ?? null,
          ...(plan?.size ? { size: plan.size } : {}),
          ...(plan?.duration ? { duration: plan.duration } : {}),
        },
      }),
    { onDone: () => void invalidateBilling() },
  );
  return (
    <p className={classes.muted}>
      {t('plan.next', { plan: next.title })}{' '}
      <Anchor
        component="button"
        type="button"
        inherit
        disabled={keepPlan.isPending}
        onClick={() => keepPlan.mutate(undefined)}
      >
        {t('plan.keep')}
      </Anchor>
    </p>
  );
}

function UsageCard({ billing: { usage, month } }: { billing: Billing }) {
  const t = useTexts('billing');
  const { date } = useFormats();
  return (
    <section className={classes.card} aria-label={t('usage.emails')}>
      <h2>{t('usage.emails')}</h2>
      <UsageBar label={t('usage.subscribers')} {...usage.subscribers} />
      <UsageBar label={t('usage.peopleEmailed')} {...usage.people_emailed} />
      <UsageBar label={t('usage.sent')} {...usage.emails} />
      <p className={classes.muted}>{t('usage.resets', { date: date(month.to) })}</p>
    </section>
  );
}

function SmsCard({ billing: { usage, sms_credit: credit } }: { billing: Billing }) {
  const t = useTexts('billing');
  const { money } = useFormats();
  return (
    <section className={classes.card} aria-label={t('usage.sms')}>
      <h2>{t('usage.sms')}</h2>
      {credit && (
        <p className={classes.usageWords}>
          <span>{t('usage.credit')}</span>
          <b>{money((credit.balance - credit.held) / 1_000_000, credit.currency.toUpperCase())}</b>
        </p>
      )}
      <UsageBar label={t('usage.peopleTexted')} {...usage.people_texted} />
      <UsageBar label={t('usage.textsSent')} {...usage.texts} />
      {credit && (
        <Button component={Link} to="/sms-credits-purchase" variant="default">
          {t('credit.buy')}
        </Button>
      )}
    </section>
  );
}

const TABS = ['methods', 'invoices', 'usage'] as const;
type BillingTab = (typeof TABS)[number];

function Lists() {
  const t = useTexts('billing');
  const initialTab = new URLSearchParams(location.search).has('invoice') ? 'invoices' : 'methods';
  const [tab, setTab] = useState<BillingTab>(initialTab);
  return (
    <div className={classes.lists}>
      <SegmentedControl
        aria-label={t('title')}
        value={tab}
        onChange={(value) => setTab(value as BillingTab)}
        data={TABS.map((value) => ({ value, label: t(`tabs.${value}`) }))}
      />
      {tab === 'methods' && (
        <>
          <Methods />
          <VatNumber />
        </>
      )}
      {tab === 'invoices' && <Invoices />}
      {tab === 'usage' && <EmailUsage />}
    </div>
  );
}
