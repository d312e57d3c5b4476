// Tracking settings of the account's email and the hosts of its links.
import { Button, Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '#platform/web/api/api.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { calls, Measuring } from '../contract.ts';
import classes from './tracking-screen.module.css';

const api = client<typeof calls>();
type HostOf = Measuring['hosts'][number];
const PATH = '/client-api/api/tracking';

export default function TrackingScreen() {
  const t = useTexts('tracking');
  const measuring = useQuery(api.query('GET /client-api/api/tracking', {}));
  return (
    <Page title={t('title')} description={t('description')} width="reading">
      {measuring.data ? (
        <>
          <Switches measuring={measuring.data.data} />
          <Hosts hosts={measuring.data.data.hosts} />
        </>
      ) : measuring.isError ? (
        <FailedState error={measuring.error} retry={() => void measuring.refetch()} />
      ) : (
        <LoadingState rows={3} />
      )}
    </Page>
  );
}

function Switches({ measuring }: { measuring: Measuring }) {
  const t = useTexts('tracking');
  const save = useAction(
    (body: { opens: boolean; clicks: boolean }) => api('PUT /client-api/api/tracking', { body }),
    { invalidates: [PATH], scope: { id: PATH }, onDone: () => toast(t('saved')) },
  );
  // While values are being saved, the next change builds on them. Switches are not disabled during
  // the save, because they would lose the focus.
  const { opens, clicks } = save.isPending ? save.variables : measuring;
  return (
    <Stack gap="lg" className={classes.card}>
      <Switch
        label={t('opens')}
        description={t('opensHint')}
        checked={opens}
        aria-busy={save.isPending}
        onChange={(event) => save.mutate({ opens: event.currentTarget.checked, clicks })}
      />
      <Switch
        label={t('clicks')}
        description={t('clicksHint')}
        checked={clicks}
        aria-busy={save.isPending}
        onChange={(event) => save.mutate({ opens, clicks: event.currentTarget.checked })}
      />
    </Stack>
  );
}

function Hosts({ hosts }: { hosts: Measuring['hosts'] }) {
  const t = useTexts('tracking');
  const check = useAction(() => api('POST /client-api/api/tracking/hosts/check', {}), {
    invalidates: [PATH],
    onDone: () => toast(t('hosts.checked')),
  });
  return (
    <section className={classes.section} aria-labelledby="hosts">
      <div className={classes.head}>
        <h2 id="hosts">{t('hosts.title')}</h2>
        <Button
          size="xs"
          variant="default"
          loading={check.isPending}
          onClick={() => check.mutate(undefined)}
        >
          {t('hosts.check')}
        </Button>
      </div>
      <p>{t('hosts.text')}</p>
      {hosts.length > 0 ? (
        <ul className={classes.list}>
          {hosts.map((host) => (
            <Host key={host.host} host={host} />
          ))}
        </ul>
      ) : (
        <div className={classes.none}>
          <span>{t('hosts.none')}</span>
          <Button component={Link} to="/settings/domains" size="xs" variant="default">
            {t('hosts.domains')}
          </Button>
        </div>
      )}
    </section>
  );
}

/** Shows whether links use the host, and if not, its problem and the time of the last check. */
function Host({ host: { host, is_used: isUsed, fault, checked } }: { host: HostOf }) {
  const t = useTexts('tracking');
  const { relative } = useFormats();
  return (
    <li>
      <bdi dir="ltr">{host}</bdi>
      <StatusDot
        tone={isUsed ? 'success' : 'warning'}
        label={t(isUsed ? 'hosts.used' : `hosts.faults.${fault ?? 'unreachable'}`)}
      />
      {!isUsed && (
        <p className={classes.advice}>
          {t(`hosts.advice.${fault ?? 'unreachable'}`)}{' '}
          {t('hosts.lookedAt', { when: relative(checked) })}
        </p>
      )}
    </li>
  );
}
