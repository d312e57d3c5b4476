// The card of a connected store: its state and problems, the number of imported records, next steps
// and actions.
import { Alert, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import { ScreenLink } from '#platform/web/ui/screen-link.tsx';
import type { ConnectedStore } from '../contract.ts';
import { OrderStates } from './order-states.tsx';
import { api, LIST_PATH } from './queries.ts';

const TONES = {
  connecting: 'active',
  live: 'success',
  failing: 'danger',
  disconnected: 'neutral',
} as const;
const COUNTS = ['customers', 'orders', 'products'] as const;

interface StoreCardProps {
  store: ConnectedStore;
  openSettings: () => void;
  openDisconnect: () => void;
}

export function StoreCard({ store, openSettings, openDisconnect }: StoreCardProps) {
  const t = useTexts('stores');
  const { relative } = useFormats();
  const isFirst = store.state === 'connecting';
  return (
    <Paper withBorder p="lg" component="section" aria-label={store.title}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="sm">
          <div>
            <Title order={2} size="h4">
              <bdi>{store.title}</bdi>
            </Title>
            <Text size="sm" c="dimmed">
              {t(`types.${typeOf(store.type)}`)} ·{' '}
              <bdi dir="ltr">{toUnicodeDomain(store.domain)}</bdi>
            </Text>
          </div>
          <StatusDot tone={TONES[store.state]} label={t(`states.${store.state}`)} />
        </Group>
        {store.failure && (
          <Alert color="danger" role="status">
            {t(`failures.${store.failure}`)}
          </Alert>
        )}
        <RefusedHooks reasons={store.refused_hooks} />
        <OrderStates store={store} />
        <Counts counts={isFirst ? store.progress : store.counts} />
        <Text size="sm" c="dimmed">
          {isFirst && t('importing')}
          {!isFirst && !store.has_keys && t('tellsItself')}
          {!isFirst &&
            store.has_keys &&
            (store.synced ? t('synced', { when: relative(store.synced) }) : t('neverSynced'))}
        </Text>
        {(isFirst || store.state === 'live') && <NextSteps />}
        <Actions store={store} openSettings={openSettings} openDisconnect={openDisconnect} />
      </Stack>
    </Paper>
  );
}

function Actions({ store, openSettings, openDisconnect }: StoreCardProps) {
  const t = useTexts('stores');
  const sync = useAction(
    () => api('POST /client-api/api/connected-stores/{id}/sync', { params: { id: store.id } }),
    { invalidates: [LIST_PATH], onDone: () => toast(t('syncing')) },
  );
  return (
    <Group gap="xs">
      {store.can_sync && store.state !== 'connecting' && (
        <Button variant="default" loading={sync.isPending} onClick={() => sync.mutate(undefined)}>
          {t('sync')}
        </Button>
      )}
      {store.type === 'demo' && (
        <Button variant="default" component="a" href="/shop" target="_blank" rel="noreferrer">
          {t('openDemo')}
        </Button>
      )}
      <Button variant="default" onClick={openSettings}>
        {t('settings')}
      </Button>
      <Button variant="subtle" color="danger" onClick={openDisconnect}>
        {t('disconnect.act')}
      </Button>
    </Group>
  );
}

function Counts({ counts }: { counts: ConnectedStore['counts'] }) {
  const t = useTexts('stores');
  const { number } = useFormats();
  return (
    <SimpleGrid cols={3} spacing="sm">
      {COUNTS.map((name) => (
        <div key={name}>
          <Text size="sm" c="dimmed">
            {t(`counts.${name}`)}
          </Text>
          <Text fw={600}>{number(counts[name])}</Text>
        </div>
      ))}
    </SimpleGrid>
  );
}

/**
 * Links to the next steps with a connected store: the abandoned cart workflow, and an email with
 * the store's products.
 */
function NextSteps() {
  const t = useTexts('stores');
  return (
    <Group gap="xs">
      <Button component={ScreenLink} to="/automation/create" search={{ recipe: 'cart' }}>
        {t('turnOnCart')}
      </Button>
      <Button component={Link} to="/campaigns/create" variant="default">
        {t('addProducts')}
      </Button>
    </Group>
  );
}

/**
 * The webhook topics that the store's platform refused to register, with the platform's reasons.
 */
function RefusedHooks({ reasons }: { reasons: readonly string[] }) {
  const t = useTexts('stores');
  if (reasons.length === 0) return null;
  return (
    <Alert color="warning" role="status" title={t('hooksRefused.title')}>
      <Text size="sm">{t('hooksRefused.text')}</Text>
      <ul dir="ltr">
        {reasons.map((reason) => (
          <li key={reason}>
            <Text size="sm">{reason}</Text>
          </li>
        ))}
      </ul>
    </Alert>
  );
}

const KNOWN_TYPES = ['woocommerce', 'shopify', 'wordpress', 'prestashop', 'demo'] as const;

/** Returns the key of a store type's name; 'other' for unknown types. */
function typeOf(type: string): (typeof KNOWN_TYPES)[number] | 'other' {
  return KNOWN_TYPES.find((knownType) => knownType === type) ?? 'other';
}
