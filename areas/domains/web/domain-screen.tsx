// The page of one sending domain: its confirmation, the DNS records to publish, and their states.
import { Anchor, Button, Group, Loader } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { Domain } from '../contract.ts';
import { useDomainActions } from './actions.ts';
import { Bimi } from './bimi.tsx';
import { DomainDot, formatEmail } from './domain-state.tsx';
import classes from './domains.module.css';
import { api, LIST_PATH } from './queries.ts';
import { Records } from './records.tsx';

/**
 * Refresh interval of the page until the domain is verified: its records are checked in the
 * background.
 */
const REFRESH_MS = 20_000;

export default function DomainScreen() {
  const t = useTexts('domains');
  const id = useParam('domain');
  const domain = useQuery({
    ...api.query('GET /client-api/api/domains/{id}', { params: { id } }),
    refetchInterval: (query) => (query.state.data?.data.verified ? false : REFRESH_MS),
  });
  const backLink = { to: '/settings/domains', label: t('title') };
  if (domain.data) return <DomainDetails key={id} domain={domain.data.data} back={backLink} />;
  return (
    <Page title={t('titleOne')} back={backLink} width="reading">
      {domain.isError ? (
        <FailedState error={domain.error} retry={() => void domain.refetch()} />
      ) : (
        <LoadingState rows={6} />
      )}
    </Page>
  );
}

function DomainDetails({ domain, back }: { domain: Domain; back: { to: string; label: string } }) {
  const t = useTexts('domains');
  const { relative } = useFormats();
  const navigate = useNavigate();
  const { remove, isCheckingUses } = useDomainActions();
  const leave = () => navigate({ to: '/settings/domains', replace: true });
  const check = useAction(
    () => api('POST /client-api/api/domains/{id}/check', { params: { id: domain.id } }),
    {
      invalidates: [LIST_PATH],
      onDone: ({ data }) => toast(t(data.dns_verified ? 'check.verified' : 'check.done')),
    },
  );
  return (
    <Page
      title={<bdi dir="ltr">{domain.shown_name}</bdi>}
      description={
        domain.checked ? t('check.last', { when: relative(domain.checked) }) : t('check.never')
      }
      status={<DomainDot domain={domain} />}
      back={back}
      width="reading"
      actions={
        <Group gap="xs">
          {/* `loading` is not used: it disables the button, which then loses focus. */}
          <Button
            variant="default"
            aria-busy={isCheckingUses(domain)}
            leftSection={isCheckingUses(domain) && <Loader size={14} />}
            onClick={() => remove(domain, leave)}
          >
            {t('remove.action')}
          </Button>
          <Button
            leftSection={<IconRefresh size={18} stroke={1.75} />}
            loading={check.isPending}
            onClick={() => check.mutate(undefined)}
          >
            {t('check.action')}
          </Button>
        </Group>
      }
    >
      <DomainSummary domain={domain} />
      <Records domain={domain} />
      {domain.alignment.bimi && <Bimi domain={domain} />}
    </Page>
  );
}

function DomainSummary({ domain }: { domain: Domain }) {
  const t = useTexts('domains');
  const { resend } = useDomainActions();
  const { alignment, records } = domain;
  const isReturnPathValid = records.some(
    (record) => record.purpose === 'return_path' && record.state === 'ok',
  );
  const dot = (isRight: boolean, key: string) => (
    <StatusDot
      tone={isRight ? 'success' : 'warning'}
      label={t(`${key}.${isRight ? 'yes' : 'no'}`)}
    />
  );
  return (
    <div className={classes.facts}>
      <section className={classes.fact}>
        <h2>{t('facts.email')}</h2>
        {dot(domain.email_verified, 'facts.emailState')}
        <p>
          <bdi dir="ltr">{formatEmail(domain)}</bdi>
        </p>
        {!domain.email_verified && (
          <Button
            variant="light"
            size="xs"
            mt={8}
            loading={resend.isPending}
            onClick={() => resend.mutate(domain)}
          >
            {t('resend.action')}
          </Button>
        )}
      </section>
      <section className={classes.fact}>
        <h2>{t('facts.alignment')}</h2>
        {dot(alignment.dkim, 'facts.dkim')}
        {!alignment.spf && isReturnPathValid ? (
          <StatusDot tone="warning" label={t('facts.spf.unpublished')} />
        ) : (
          dot(alignment.spf, 'facts.spf')
        )}
        <p>{t('facts.alignmentText')}</p>
      </section>
      <section className={classes.fact}>
        <h2>{t('facts.policy')}</h2>
        <StatusDot
          tone={alignment.dmarc_policy ? 'success' : 'warning'}
          label={t(`policies.${toPolicy(alignment.dmarc_policy)}`)}
        />
        <p>{t('facts.policyText')}</p>
        <Anchor component={Link} to={`/settings/deliverability/${domain.id}`} size="sm">
          {t('facts.senders')}
        </Anchor>
      </section>
    </div>
  );
}

function toPolicy(policy: string | null): 'none' | 'quarantine' | 'reject' | 'missing' {
  if (policy === null) return 'missing';
  return policy === 'quarantine' || policy === 'reject' ? policy : 'none';
}
