// The account's own providers of texts: how each is doing, in the order in which they are used.
import { Button } from '@mantine/core';
import { IconBroadcast, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useFormats } from '#platform/web/formats.ts';
import { toast } from '#platform/web/notices.tsx';
import { touch, useAct } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { EmptyState, FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { TextProvider } from '../providers-contract.ts';
import { PROVIDER_NAMES } from './provider-form.ts';
import { ProviderDot } from './provider-state.tsx';
import classes from './providers.module.css';
import { providers as api, PROVIDERS } from './queries.ts';

const TrialDialog = lazy(() => import('./provider-trial.tsx'));
const NEWS_MS = 10_000;

export default function ProvidersScreen() {
  const t = useTexts('sms');
  const [tried, setTried] = useState<TextProvider>();
  const list = useQuery({
    ...api.query('GET /client-api/api/sms/providers', {}),
    refetchInterval: NEWS_MS,
  });
  const action = (
    <Button
      component={Link}
      to="/settings/sms-providers/new"
      leftSection={<IconPlus size={18} stroke={1.75} />}
    >
      {t('providers.add')}
    </Button>
  );
  return (
    <Page
      title={t('providers.title')}
      description={t('providers.description')}
      actions={action}
      width="reading"
    >
      {list.data ? (
        <Cards providers={list.data.data} onTry={setTried} action={action} />
      ) : list.isError ? (
        <FailedState error={list.error} retry={() => void list.refetch()} />
      ) : (
        <LoadingState rows={3} />
      )}
      <Suspense fallback={null}>
        {tried && <TrialDialog key={tried.id} provider={tried} close={() => setTried(undefined)} />}
      </Suspense>
    </Page>
  );
}

type OnTry = (provider: TextProvider) => void;

function Cards({
  providers,
  onTry,
  action,
}: {
  providers: readonly TextProvider[];
  onTry: OnTry;
  action: React.ReactNode;
}) {
  const t = useTexts('sms');
  if (providers.length === 0) {
    return (
      <EmptyState icon={IconBroadcast} title={t('providers.empty')} action={action}>
        {t('providers.emptyText')}
      </EmptyState>
    );
  }
  return (
    <ul className={classes.list}>
      {providers.map((provider) => (
        <Card
          key={provider.id}
          provider={provider}
          isFirst={isFirst(provider, providers)}
          onTry={onTry}
        />
      ))}
    </ul>
  );
}

/** Of several: used before the others. */
function isFirst(provider: TextProvider, providers: readonly TextProvider[]): boolean | undefined {
  const on = providers.filter((one) => one.enabled);
  if (on.length < 2 || !provider.enabled) return undefined;
  return provider.priority === Math.min(...on.map((one) => one.priority));
}

function Card({
  provider,
  isFirst,
  onTry,
}: {
  provider: TextProvider;
  isFirst: boolean | undefined;
  onTry: OnTry;
}) {
  const t = useTexts('sms');
  const { dateTime } = useFormats();
  const { id, title, health, enabled, inbound_url: inbound } = provider;
  const toggle = useAct(
    () =>
      api('PATCH /client-api/api/sms/providers/{id}', {
        params: { id },
        body: { enabled: !enabled },
      }),
    { touches: [PROVIDERS] },
  );
  const remove = async () => {
    const isDone = await confirm({
      title: t('providers.removeTitle', { title }),
      message: t('providers.removeText'),
      confirm: t('providers.remove'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/sms/providers/{id}', { params: { id } }),
    });
    if (!isDone) return;
    toast(t('providers.removed', { title }));
    await touch(PROVIDERS);
  };
  return (
    <li className={classes.card}>
      <div className={classes.head}>
        <h2>
          <Link to="/settings/sms-providers/$provider" params={{ provider: id }}>
            <bdi>{title}</bdi>
          </Link>
        </h2>
        <ProviderDot provider={provider} />
      </div>
      <p>
        {PROVIDER_NAMES[provider.kind] ?? t('providers.smpp')}
        {isFirst !== undefined && ` · ${t(isFirst ? 'providers.first' : 'providers.spare')}`}
        {isFirst !== undefined && ` · ${t('providers.share', { weight: provider.weight })}`}
      </p>
      <Pace provider={provider} />
      {enabled && health.reply && (
        <p>
          <bdi dir="ltr">
            {health.code} {health.reply}
          </bdi>
        </p>
      )}
      {enabled && health.since && <p>{t('providers.since', { when: dateTime(health.since) })}</p>}
      {inbound && (
        <p className={classes.address}>
          {t('providers.inbound')} <code dir="ltr">{inbound}</code>
          <CopyButton value={inbound} label={t('providers.copy')} />
        </p>
      )}
      <div className={classes.acts}>
        <Button size="xs" variant="default" onClick={() => onTry(provider)}>
          {t('providers.test')}
        </Button>
        <Button
          size="xs"
          variant="default"
          loading={toggle.isPending}
          onClick={() => toggle.mutate(undefined)}
        >
          {t(enabled ? 'providers.turnOff' : 'providers.turnOn')}
        </Button>
        <Button size="xs" variant="subtle" color="red" onClick={() => void remove()}>
          {t('providers.remove')}
        </Button>
      </div>
    </li>
  );
}

/** What it may take, of all and of single numbers. */
function Pace({ provider }: { provider: TextProvider }) {
  const t = useTexts('sms');
  const { number, list } = useFormats();
  const said = (['second', 'minute', 'hour', 'day'] as const).flatMap((unit) => {
    const most = provider[`per_${unit}`];
    return most === null ? [] : [t(`providers.limits.${unit}`, { total: number(most) })];
  });
  const numbers = provider.number_limits.map((one) =>
    t('providers.limits.number', {
      number: `\u2068${one.number}\u2069`,
      total: number(one.per_minute),
    }),
  );
  const all = [...said, ...numbers];
  return all.length === 0 ? null : <p>{list(all)}</p>;
}
