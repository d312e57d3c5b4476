// The health of sending domains: a state per mailbox provider, its causes and the next step.
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { DomainHealth, HealthCause } from '../contract.ts';
import { MAILBOX_TITLES } from '../shared.ts';
import { api } from './queries.ts';
import classes from './deliverability.module.css';

const TONES = {
  good: 'success',
  watch: 'warning',
  act: 'danger',
  stopped: 'danger',
  no_data: 'neutral',
} as const;

interface HealthProps {
  /** If true, nothing is shown for accounts that have sent no emails. */
  isOptional?: boolean;
}

export function Health({ isOptional = false }: HealthProps) {
  const t = useTexts('deliverability');
  const health = useQuery(api.query('GET /client-api/api/deliverability/health'));
  if (health.isLoadingError) {
    return <FailedState error={health.error} retry={() => void health.refetch()} />;
  }
  if (!health.data) return <LoadingState rows={2} />;
  const domains = health.data.data;
  if (isOptional && domains.length === 0) return null;
  return (
    <section className={classes.section} aria-labelledby="health">
      <h2 id="health">{t('health.title')}</h2>
      <p>{t(domains.length === 0 ? 'health.none' : 'health.text')}</p>
      <ul className={classes.cards}>
        {domains.map((domain) => (
          <DomainCard key={domain.domain_name} domain={domain} />
        ))}
      </ul>
    </section>
  );
}

function DomainCard({ domain }: { domain: DomainHealth }) {
  const t = useTexts('deliverability');
  const { number } = useFormats();
  return (
    <li className={classes.card}>
      <h3>
        <bdi dir="ltr">{domain.shown_name}</bdi>
      </h3>
      <StatusDot tone={TONES[domain.state]} label={t(`health.states.${domain.state}`)} />
      <Causes causes={domain.causes} />
      <ul className={classes.rows}>
        {domain.mailboxes.map((row) => (
          <li key={row.mailbox} className={classes.row}>
            <span className={classes.name}>
              {row.mailbox === 'other' ? t('health.other') : MAILBOX_TITLES[row.mailbox]}
            </span>
            <span>
              <StatusDot tone={TONES[row.state]} label={t(`health.states.${row.state}`)} />
              <Causes causes={row.causes} />
              {!row.reports_complaints && <p>{t('health.silent')}</p>}
            </span>
            <span className={classes.end}>{number(row.sent)}</span>
          </li>
        ))}
      </ul>
    </li>
  );
}

function Causes({ causes }: { causes: readonly HealthCause[] }) {
  const t = useTexts('deliverability');
  const { number, percent, date } = useFormats();
  return causes.map(({ cause, count, of, detail, since }) => (
    <p key={`${cause} ${detail ?? ''}`}>
      {t(`health.causes.${cause}`, {
        share: of === 0 ? '' : percent(count / of),
        amount: number(of === 0 ? count : of),
        detail: cause === 'compliance' ? t(`compliance.requirements.${detail}`) : (detail ?? ''),
      })}{' '}
      {t('health.since', { day: date(since) })}{' '}
      <span className={classes.next}>{t(`health.actions.${cause}`)}</span>
    </p>
  ));
}
