// The DNS records of a domain, each with its purpose, values to copy, and the result of the check.
import { Anchor, Badge } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTexts } from '#platform/web/texts/texts.ts';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { DnsRecord, Domain } from '../contract.ts';
import { toTone } from './domain-state.tsx';
import classes from './domains.module.css';

export function Records({ domain }: { domain: Domain }) {
  const t = useTexts('domains');
  const example = domain.records[0]?.name.slice(0, -domain.domain_name.length - 1) ?? '';
  return (
    <section className={classes.records} aria-labelledby="records">
      <h2 id="records">{t('records.title')}</h2>
      <p>
        {t('records.text')} {t('records.short')} <code dir="ltr">{example}</code>
      </p>
      <ul className={classes.list}>
        {domain.records.map((record) => (
          <RecordCard key={record.name + record.type} record={record} domain={domain} />
        ))}
      </ul>
    </section>
  );
}

interface RecordCardProps {
  record: DnsRecord;
  domain: Domain;
}

function RecordCard({ record, domain }: RecordCardProps) {
  const t = useTexts('domains');
  return (
    <li className={classes.record}>
      <div className={classes.recordHead}>
        <h3>
          {t(`purposes.${record.purpose}.title`)}
          <Badge variant="light" color={record.required ? 'thread' : 'gray'}>
            {t(record.required ? 'records.required' : 'records.advised')}
          </Badge>
        </h3>
        <StatusDot tone={toTone(record)} label={t(`records.states.${record.state}`)} />
      </div>
      <p>{t(`purposes.${record.purpose}.text`)}</p>
      <dl className={classes.values}>
        <dt>{t('records.type')}</dt>
        <dd>
          <code className={classes.code}>{record.type}</code>
        </dd>
        <dt>{t('records.name')}</dt>
        <dd>
          <Value value={record.name} copyLabel={t('records.copyName')} />
        </dd>
        {record.state !== 'withheld' && (
          <>
            <dt>{t('records.value')}</dt>
            <dd>
              <Value value={record.value} copyLabel={t('records.copyValue')} />
            </dd>
          </>
        )}
        {record.state === 'different' && (
          <>
            <dt>{t('records.found')}</dt>
            <dd className={classes.found}>
              {record.found.map((value) => (
                <code key={value} className={classes.code} dir="ltr">
                  {value}
                </code>
              ))}
            </dd>
          </>
        )}
      </dl>
      <Advice record={record} domain={domain} />
    </li>
  );
}

/** Shows the next step for a record. */
function Advice({ record, domain }: RecordCardProps) {
  const t = useTexts('domains');
  return (
    <>
      {record.state !== 'ok' && record.state !== 'unchecked' && (
        <p className={classes.advice}>{t(`records.advice.${selectAdvice(record)}`)}</p>
      )}
      {record.purpose === 'dmarc' && record.state === 'ok' && lacksReports(domain) && (
        <p className={classes.advice}>{t('records.reportsNext')}</p>
      )}
      {record.purpose === 'tracking' && record.state === 'ok' && (
        <p>
          {t('records.linksNext')}{' '}
          <Anchor component={Link} to="/settings/tracking" inherit underline="always">
            {t('records.linksOpen')}
          </Anchor>
        </p>
      )}
    </>
  );
}

export function Value({ value, copyLabel }: { value: string; copyLabel: string }) {
  return (
    <>
      <code className={classes.code} dir="ltr">
        {value}
      </code>
      <CopyButton value={value} label={copyLabel} />
    </>
  );
}

const lacksReports = ({ reports }: Domain) => reports.address !== null && !reports.requested;

/**
 * Selects the key of the advice. Several DMARC records, several SPF records, and any other SPF
 * problem each have separate advice.
 */
function selectAdvice({ state, purpose, found }: DnsRecord): string {
  if (state !== 'different') return state;
  if (purpose === 'dmarc') return 'doubleDmarc';
  if (purpose !== 'spf') return 'different';
  return found.length > 1 ? 'doubleSpf' : 'otherSpf';
}
