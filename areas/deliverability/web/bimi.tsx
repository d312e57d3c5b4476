// The domain's logo in inboxes (BIMI): the record, the logo, its certificate, and problems with
// each.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useAction } from '#platform/web/api/queries.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { BimiFinding, DomainReports } from '../contract.ts';
import { api, DELIVERABILITY } from './queries.ts';
import classes from './deliverability.module.css';

/** Warnings only: some mailbox providers show the logo without a certificate. */
const MINOR: ReadonlySet<BimiFinding> = new Set(['certificate_missing']);

export function Bimi({ domain }: { domain: DomainReports }) {
  const t = useTexts('deliverability');
  const { date } = useFormats();
  const { id, bimi } = domain;
  const check = useAction(
    () => api('POST /client-api/api/deliverability/domains/{id}/bimi', { params: { id } }),
    { invalidates: [DELIVERABILITY] },
  );
  const isReady = bimi !== null && bimi.findings.every((finding) => MINOR.has(finding));
  return (
    <section className={classes.section} aria-labelledby="bimi">
      <h2 id="bimi">{t('bimi.title')}</h2>
      <p>
        {t('bimi.text')}{' '}
        <Link to={`/settings/domains/${id}`} className={classes.link}>
          {t('openDns')}
        </Link>
      </p>
      <StatusDot
        tone={bimi === null ? 'neutral' : isReady ? 'success' : 'warning'}
        label={t(bimi === null ? 'bimi.unchecked' : isReady ? 'bimi.ready' : 'bimi.notReady')}
      />
      {bimi?.findings.map((finding) => (
        <p key={finding}>{t(`bimi.findings.${finding}`)}</p>
      ))}
      {bimi?.valid_until && <p>{t('bimi.valid', { day: date(bimi.valid_until) })}</p>}
      <Button
        mt="xs"
        size="compact-sm"
        variant="default"
        loading={check.isPending}
        onClick={() => check.mutate(undefined)}
      >
        {t('bimi.check')}
      </Button>
    </section>
  );
}
