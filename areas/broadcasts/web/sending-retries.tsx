// Retries of copies that failed or whose result is unknown.
import { Button, Group } from '@mantine/core';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { BroadcastDelivery } from '../sending-contract.ts';
import { type BroadcastUi, listAffectedQueries } from './ui.ts';

/**
 * Retries that a user can start: for copies that failed for a reason other than the address, and
 * for copies with an unknown result.
 */
export function Retries(props: { ui: BroadcastUi; id: string; delivery: BroadcastDelivery }) {
  const { ui, id, delivery } = props;
  const t = useTexts('broadcasts');
  const { number } = useFormats();
  const retry = async (which: 'failed' | 'unknown') => {
    const { data } = await ui.api('POST /client-api/api/campaigns/{id}/retry', {
      params: { id },
      body: { which },
    });
    const { retried } = data;
    toast(
      retried === 0
        ? t('retry.noRecipients')
        : t('retry.done', { count: retried, total: number(retried) }),
    );
    await Promise.all(listAffectedQueries(ui, id).map((path) => invalidate(path)));
  };
  const confirmRetry = (which: 'failed' | 'unknown') =>
    confirm({
      title: t(`retry.${which}Title`),
      message: t(`retry.${ui.channel}.${which}`, {
        count: delivery[which],
        total: number(delivery[which]),
      }),
      confirm: t('retry.act'),
      run: () => retry(which),
    });
  const waiting = (['failed', 'unknown'] as const).filter((which) => delivery[which] > 0);
  if (waiting.length === 0) return null;
  return (
    <Group gap="xs" mt="sm">
      {waiting.map((which) => (
        <Button key={which} size="sm" variant="default" onClick={() => void confirmRetry(which)}>
          {t(`retry.${which}`)}
        </Button>
      ))}
    </Group>
  );
}
