// Second tries of what failed and of what nobody knows of.
import { Button, Group } from '@mantine/core';
import { useFormats } from '#platform/web/formats.ts';
import { toast } from '#platform/web/notices.tsx';
import { touch } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { Campaign } from '../contract.ts';
import { api, touchesOf } from './queries.ts';

type Delivery = NonNullable<Campaign['delivery']>;

/** What failed for no fault of the person's, and what nobody knows of, is the owner's to try again. */
export function Retries({ id, delivery }: { id: string; delivery: Delivery }) {
  const t = useTexts('campaigns');
  const { number } = useFormats();
  const retry = async (which: 'failed' | 'unknown') => {
    const { data } = await api('POST /client-api/api/campaigns/{id}/retry', {
      params: { id },
      body: { which },
    });
    const { retried } = data;
    toast(
      retried === 0
        ? t('retry.nobody')
        : t('retry.done', { count: retried, total: number(retried) }),
    );
    await Promise.all(touchesOf(id).map((path) => touch(path)));
  };
  const ask = (which: 'failed' | 'unknown') =>
    confirm({
      title: t(`retry.${which}Title`),
      message: t(`retry.${which}Message`, {
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
        <Button key={which} size="sm" variant="default" onClick={() => void ask(which)}>
          {t(`retry.${which}`)}
        </Button>
      ))}
    </Group>
  );
}
