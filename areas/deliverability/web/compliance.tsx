// Gmail's verdict on its requirements for senders, with the next step for each unmet one.
import { Link } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { DomainReports } from '../contract.ts';
import classes from './deliverability.module.css';

export function Compliance({ domain: { compliance } }: { domain: DomainReports }) {
  const t = useTexts('deliverability');
  const { date } = useFormats();
  return (
    <section className={classes.section} aria-labelledby="compliance">
      <h2 id="compliance">{t('compliance.title')}</h2>
      {compliance.length > 0 ? (
        <p>{t('compliance.text')}</p>
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
              <StatusDot
                tone={isMet ? 'success' : 'danger'}
                label={t(isMet ? 'compliance.met' : 'compliance.unmet')}
              />
              {!isMet && (
                <p>
                  {reason !== null && `${t(`compliance.reasons.${reason}`)} `}
                  <span className={classes.next}>{t(`compliance.actions.${requirement}`)}</span>
                </p>
              )}
            </span>
            <span className={classes.end}>{t('compliance.since', { day: date(since) })}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
