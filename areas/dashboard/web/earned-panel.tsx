// Revenue of emails and SMS in connected stores; hidden if the account has no store.
import { useAmount } from '#platform/web/texts/amount.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { EarnedTotals } from '../contract.ts';
import classes from './dashboard.module.css';
import { Panel } from './panel.tsx';
import { useEarned } from './queries.ts';
import type { DayRange } from './range.ts';

export function EarnedPanel({ days }: { days: DayRange }) {
  const t = useTexts('dashboard');
  const earned = useEarned(days);
  if (!earned.isLoadingError && !earned.data?.data.has_store) return null;
  return (
    <Panel title={t('earned.title')} query={earned} rows={2}>
      {({ data }) => <Totals totals={data} />}
    </Panel>
  );
}

function Totals({ totals: { currencies } }: { totals: EarnedTotals }) {
  const t = useTexts('dashboard');
  const amount = useAmount();
  if (currencies.length === 0) return <p className={classes.nothing}>{t('earned.none')}</p>;
  return currencies.map(({ currency, email, sms, all }) => (
    <div key={currency} className={classes.earned}>
      <p className={classes.big}>{amount(email + sms, currency)}</p>
      <p className={classes.note}>
        {t('earned.parts', { email: amount(email, currency), sms: amount(sms, currency) })}
      </p>
      <p className={classes.note}>{t('earned.of', { all: amount(all, currency) })}</p>
    </div>
  ));
}
