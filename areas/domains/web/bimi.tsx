// Instructions for showing the domain's logo in inboxes (BIMI). They appear once the domain's DMARC
// policy is strict enough.
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Domain } from '../contract.ts';
import classes from './domains.module.css';
import { Value } from './records.tsx';

export function Bimi({ domain }: { domain: Domain }) {
  const t = useTexts('domains');
  const value = `v=BIMI1; l=https://${domain.domain_name}/logo.svg; a=`;
  return (
    <section className={classes.records} aria-labelledby="bimi">
      <h2 id="bimi">{t('bimi.title')}</h2>
      <p>{t('bimi.text')}</p>
      <div className={classes.record}>
        <ol className={classes.steps}>
          <li>{t('bimi.logo')}</li>
          <li>{t('bimi.certificate')}</li>
          <li>{t('bimi.record')}</li>
        </ol>
        <dl className={classes.values}>
          <dt>{t('records.name')}</dt>
          <dd>
            <Value
              value={`default._bimi.${domain.domain_name}`}
              copyLabel={t('records.copyName')}
            />
          </dd>
          <dt>{t('records.value')}</dt>
          <dd>
            <Value value={value} copyLabel={t('records.copyValue')} />
          </dd>
        </dl>
      </div>
    </section>
  );
}
