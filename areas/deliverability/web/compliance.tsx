// Gmail's verdict on its requirements for senders, with the next step for each unmet requirement.
import { Link } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { DomainReports } from '../contract.ts';
import classes from './deliverability.module.css';

export function Compliance({ domain: { compliance } }: { domain: DomainReports }) {
  const t = useTexts('deliverability');
  const { date } = useFormats();
  const [first] = compliance;
  return (
    <section className={classes.section} aria-labelledby="compliance">
      <h2 id="compliance">{t('compliance.title')}</h2>
      {first ? (
        <p>
          {t('compliance.text')} {t('compliance.as_of', { day: date(first.as_of) })}
          {compliance.some(({ is_met: isMet }) => isMet === null) && ` ${t('compliance.failed')}`}
        </p>
      ) : (
        <p>
          {t('compliance.none')}{' '}
          <Link to="/settings/deliverability/signals" className={classes.link}>
            {t('signals.open')}
          </Link>
        </p>
      )}
      <ul className={classes.rows}>
        {compliance.map(({ requirement, is_met: isMet, reason, since }) => (
          <li key={requirement} className={classes.row}>
            <span className={classes.name}>{t(`compliance.requirements.${requirement}`)}</span>
            <span>
              <Verdict isMet={isMet} />
              {isMet === false && (
                <p>
                  {reason !== null && `${t(`compliance.reasons.${reason}`)} `}
                  <span className={classes.next}>{t(`compliance.actions.${requirement}`)}</span>
                </p>
              )}
            </span>
            {isMet !== null && (
              <span className={classes.end}>{t('compliance.since', { day: date(since) })}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Verdict({ isMet }: { isMet: boolean | null }) {
  const t = useTexts('deliverability');
  if (isMet === null) return <StatusDot tone="neutral" label={t('compliance.unknown')} />;
  return (
    <StatusDot
      tone={isMet ? 'success' : 'danger'}
      label={t(isMet ? 'compliance.met' : 'compliance.unmet')}
    />
  );
}
