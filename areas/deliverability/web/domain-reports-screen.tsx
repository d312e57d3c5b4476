// The reports of one domain: the next step, sources, reporters, and how reports arrive.
import { SegmentedControl } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { parseOneOf, useSearchParams } from '#platform/web/api/address.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { CheckItem, DomainReports } from '../contract.ts';
import { PERIODS } from '../shared.ts';
import { AdviceNote } from './advice.tsx';
import { Bimi } from './bimi.tsx';
import { Compliance } from './compliance.tsx';
import { api, SCREEN } from './queries.ts';
import { Sources } from './sources.tsx';
import classes from './deliverability.module.css';

const CHOICES = PERIODS.map(String) as [string, ...string[]];
const address = { days: parseOneOf(CHOICES, '30') };

export default function DomainReportsScreen() {
  const t = useTexts('deliverability');
  const id = useParam('domain');
  const [{ days }, set] = useSearchParams(address);
  const reports = useQuery({
    ...api.query('GET /client-api/api/deliverability/domains/{id}', {
      params: { id },
      query: { days },
    }),
    placeholderData: keepPreviousData,
  });
  const domain = reports.data?.data;
  return (
    <Page
      title={domain ? <bdi dir="ltr">{domain.shown_name}</bdi> : t('title')}
      back={{ to: SCREEN, label: t('title') }}
      width="reading"
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t('period')}
          value={days}
          onChange={(value) => set({ days: value }, { replace: true })}
          data={CHOICES.map((value) => ({ value, label: t('lastDays', { amount: value }) }))}
        />
      }
    >
      {domain ? (
        <DomainReportsBody domain={domain} />
      ) : reports.isLoadingError ? (
        <FailedState error={reports.error} retry={() => void reports.refetch()} />
      ) : (
        <LoadingState rows={6} />
      )}
    </Page>
  );
}

function DomainReportsBody({ domain }: { domain: DomainReports }) {
  return (
    <>
      <AdviceNote domain={domain} />
      <DomainFigures domain={domain} />
      <Sources domain={domain} />
      <Checklist domain={domain} />
      <Compliance domain={domain} />
      <Blocklists domain={domain} />
      <Bimi domain={domain} />
      <Reporters domain={domain} />
      <Intake domain={domain} />
    </>
  );
}

function DomainFigures({ domain }: { domain: DomainReports }) {
  const t = useTexts('deliverability');
  const { number, percent } = useFormats();
  const sumBy = (select: (day: DomainReports['days'][number]) => number) =>
    domain.days.reduce((total, day) => total + select(day), 0);
  const alignedCount = sumBy((day) => day.aligned);
  const messages = alignedCount + sumBy((day) => day.failed);
  const unsignedCount = domain.sources.reduce((total, source) => total + source.unsigned, 0);
  const entries = [
    [t('facts.messages'), number(messages)],
    [t('facts.aligned'), messages === 0 ? '–' : percent(alignedCount / messages)],
    [t('facts.policy'), domain.policy ?? t('facts.noPolicy')],
    [t('facts.unsigned'), number(unsignedCount)],
  ] as const;
  return (
    <dl className={classes.facts}>
      {entries.map(([name, value]) => (
        <div key={name} className={classes.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const CHECK_TONES = { met: 'success', failed: 'danger', unknown: 'neutral' } as const;

/** Text keys for items whose percentage is not the pass rate. */
const MEASURED: Partial<Record<CheckItem['item'], 'spam' | 'encrypted'>> = {
  complaints: 'spam',
  tls: 'encrypted',
};

function Checklist({ domain }: { domain: DomainReports }) {
  const t = useTexts('deliverability');
  const { percent, date } = useFormats();
  return (
    <section className={classes.section} aria-labelledby="checklist">
      <h2 id="checklist">{t('checklist.title')}</h2>
      <p>
        {t('checklist.text')}
        {domain.bulk_since !== null &&
          ` ${t('checklist.bulk', { day: date(`${domain.bulk_since}T12:00:00Z`) })}`}
      </p>
      <ul className={classes.rows}>
        {domain.checklist.map(({ item, state, share, by }) => (
          <li key={item} className={classes.row}>
            <span className={classes.name}>{t(`checklist.items.${item}.title`)}</span>
            <span>
              <StatusDot tone={CHECK_TONES[state]} label={t(`checklist.states.${state}`)} />
              <p>
                {t(`checklist.items.${item}.text`)}
                {by === 'gmail' && ` ${t('checklist.byGmail')}`}
                {share !== null && by !== null && by !== 'gmail' && (
                  <>
                    {' '}
                    {t(`checklist.by.${by}.${MEASURED[item] ?? 'passed'}`, {
                      share: percent(share),
                    })}
                  </>
                )}
              </p>
              {item === 'complaints' && (
                <p>
                  <Link to="/subscribers/segments/create" className={classes.link}>
                    {t('checklist.exclude')}
                  </Link>
                </p>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const LIST_TONES = { listed: 'danger', clear: 'success', unknown: 'neutral' } as const;

function Blocklists({ domain }: { domain: DomainReports }) {
  const t = useTexts('deliverability');
  const { date } = useFormats();
  return (
    <section className={classes.section} aria-labelledby="blocklists">
      <h2 id="blocklists">{t('blocklists.title')}</h2>
      <p>{t('blocklists.text')}</p>
      <ul className={classes.rows}>
        {domain.blocklists.map(({ list, subject, state, since, is_blocking: isBlocking }) => (
          <li key={`${list} ${subject}`} className={classes.row}>
            <span className={classes.name}>{list}</span>
            <span>
              <StatusDot tone={LIST_TONES[state]} label={t(`blocklists.states.${state}`)} />
              <p>
                <bdi dir="ltr">{subject}</bdi>
              </p>
              {state === 'listed' && (
                <p>{t(isBlocking ? 'blocklists.blocking' : 'blocklists.minor')}</p>
              )}
            </span>
            {since !== null && <span className={classes.end}>{date(since)}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Reporters({ domain }: { domain: DomainReports }) {
  const t = useTexts('deliverability');
  const { number, percent, date } = useFormats();
  const { tls, reporters } = domain;
  return (
    <section className={classes.section} aria-labelledby="reporters">
      <h2 id="reporters">{t('reporters.title')}</h2>
      {reporters.length === 0 && <p>{t('reporters.none')}</p>}
      <ul className={classes.rows}>
        {reporters.map((reporter) => (
          <li
            key={`${reporter.name} ${reporter.signed}`}
            className={classes.row}
            data-unsigned={!reporter.signed || undefined}
          >
            <bdi className={classes.name}>{reporter.name || t('reporters.unknown')}</bdi>
            <span>
              {t('reporters.counts', {
                reports: number(reporter.reports),
                messages: number(reporter.messages),
              })}
              {!reporter.signed && <p>{t('reporters.unsigned')}</p>}
            </span>
            <span className={classes.end}>{date(`${reporter.last}T12:00:00Z`)}</span>
          </li>
        ))}
      </ul>
      {tls.sessions > 0 && (
        <p>
          {t('tls', {
            sessions: number(tls.sessions),
            share: percent((tls.sessions - tls.failures) / tls.sessions),
          })}
        </p>
      )}
    </section>
  );
}

function Intake({ domain }: { domain: DomainReports }) {
  const t = useTexts('deliverability');
  return (
    <section className={classes.section} aria-labelledby="intake">
      <h2 id="intake">{t('intake.title')}</h2>
      {domain.address === null ? (
        <p>{t('intake.upload')}</p>
      ) : (
        <>
          <p>
            {t(domain.requested ? 'intake.requested' : 'intake.request')}{' '}
            <Link to={`/settings/domains/${domain.id}`} className={classes.link}>
              {t('openDns')}
            </Link>
          </p>
          <p className={classes.address}>
            <code dir="ltr">{domain.address}</code>
            <CopyButton value={domain.address} label={t('intake.copy')} />
          </p>
          <p>{t('intake.forward')}</p>
        </>
      )}
    </section>
  );
}
