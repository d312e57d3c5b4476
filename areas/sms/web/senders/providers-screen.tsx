// The account's own SMS providers and their state, in order of use.
import { IconBroadcast } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import {
  OUTLET_NEWS_MS,
  OutletCard,
  OutletHealth,
  OutletsPage,
} from '#areas/delivery/web/index.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import type { SmsProvider } from '../../providers-contract.ts';
import { PROVIDER_NAMES } from './provider-form.ts';
import { ProviderDot } from './provider-state.tsx';
import classes from './providers.module.css';
import { providers as api, PROVIDERS } from '../queries.ts';

const TrialDialog = lazyWithRetry(() => import('./provider-trial.tsx'));

export default function ProvidersScreen() {
  const t = useTexts('sms');
  const [tried, setTried] = useState<SmsProvider>();
  const list = useQuery({
    ...api.query('GET /client-api/api/sms/providers', {}),
    refetchInterval: OUTLET_NEWS_MS,
  });
  return (
    <OutletsPage
      title={t('providers.title')}
      description={t('providers.description')}
      query={list}
      add={{ to: '/settings/sms-providers/new', label: t('providers.add') }}
      empty={{ icon: IconBroadcast, title: t('providers.empty'), text: t('providers.emptyText') }}
      card={(provider, isFirst) => (
        <Card
          key={provider.id}
          provider={provider}
          isFirst={isFirst}
          test={() => setTried(provider)}
        />
      )}
    >
      <Suspense fallback={null}>
        {tried && <TrialDialog key={tried.id} provider={tried} close={() => setTried(undefined)} />}
      </Suspense>
    </OutletsPage>
  );
}

function Card(props: { provider: SmsProvider; isFirst: boolean | undefined; test: () => void }) {
  const { provider, isFirst, test } = props;
  const t = useTexts('sms');
  const { dateTime } = useFormats();
  const { id, title, health, enabled, inbound_url: inbound } = provider;
  const params = { id };
  return (
    <OutletCard
      outlet={provider}
      to={`/settings/sms-providers/${id}`}
      dot={<ProviderDot provider={provider} />}
      texts={{
        test: t('providers.test'),
        toggle: t(enabled ? 'providers.turnOff' : 'providers.turnOn'),
        remove: t('providers.remove'),
        removeTitle: t('providers.removeTitle', { title }),
        removeText: t('providers.removeText'),
        removed: t('providers.removed', { title }),
      }}
      test={test}
      toggle={() =>
        api('PATCH /client-api/api/sms/providers/{id}', { params, body: { enabled: !enabled } })
      }
      remove={() => api('DELETE /client-api/api/sms/providers/{id}', { params })}
      invalidates={[PROVIDERS]}
    >
      <p>
        {PROVIDER_NAMES[provider.kind] ?? t('providers.smpp')}
        {isFirst !== undefined && ` · ${t(isFirst ? 'providers.first' : 'providers.spare')}`}
        {isFirst !== undefined && ` · ${t('providers.share', { weight: provider.weight })}`}
      </p>
      <ProviderPace provider={provider} />
      {enabled && (
        <OutletHealth
          health={health}
          since={health.since && t('providers.since', { when: dateTime(health.since) })}
        />
      )}
      {inbound && (
        <p className={classes.address}>
          {t('providers.inbound')} <code dir="ltr">{inbound}</code>
          <CopyButton value={inbound} label={t('providers.copy')} />
        </p>
      )}
    </OutletCard>
  );
}

/** The provider's rate limits: for all of its SMS, and for numbers with a separate limit. */
function ProviderPace({ provider }: { provider: SmsProvider }) {
  const t = useTexts('sms');
  const { number, list } = useFormats();
  const limits = (['second', 'minute', 'hour', 'day'] as const).flatMap((unit) => {
    const maximum = provider[`per_${unit}`];
    return maximum === null ? [] : [t(`providers.limits.${unit}`, { total: number(maximum) })];
  });
  const numbers = provider.number_limits.map((limit) =>
    t('providers.limits.number', {
      number: `\u2068${limit.number}\u2069`,
      total: number(limit.per_minute),
    }),
  );
  const allLimits = [...limits, ...numbers];
  return allLimits.length === 0 ? null : <p>{list(allLimits)}</p>;
}
