// What the account's mails measure, and the hosts that its links are written with.
import { Button, Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '#platform/web/api.ts';
import { toast } from '#platform/web/notices.tsx';
import { useAct } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { calls, Measuring } from '../contract.ts';
import classes from './tracking-screen.module.css';

const api = client<typeof calls>();
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
  const save = useAct(
    (body: { opens: boolean; clicks: boolean }) => api('PUT /client-api/api/tracking', { body }),
    { touches: [PATH], onDone: () => toast(t('saved')) },
  );
  const { opens, clicks } = save.isPending ? save.variables : measuring;
  return (
    <Stack gap="lg" className={classes.card}>
      <Switch
        label={t('opens')}
        description={t('opensHint')}
        checked={opens}
        disabled={save.isPending}
        onChange={(event) => save.mutate({ opens: event.currentTarget.checked, clicks })}
      />
      <Switch
        label={t('clicks')}
        description={t('clicksHint')}
        checked={clicks}
        disabled={save.isPending}
        onChange={(event) => save.mutate({ opens, clicks: event.currentTarget.checked })}
      />
    </Stack>
  );
}

function Hosts({ hosts }: { hosts: Measuring['hosts'] }) {
  const t = useTexts('tracking');
  return (
    <section className={classes.section} aria-labelledby="hosts">
      <h2 id="hosts">{t('hosts.title')}</h2>
      <p>{t('hosts.text')}</p>
      {hosts.length > 0 ? (
        <ul className={classes.list}>
          {hosts.map(({ host, is_used: isUsed }) => (
            <li key={host}>
              <bdi dir="ltr">{host}</bdi>
              <StatusDot
                tone={isUsed ? 'success' : 'warning'}
                label={t(isUsed ? 'hosts.used' : 'hosts.waiting')}
              />
            </li>
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
