// The effect of sending at best hours: the open rate, compared with the control group's.
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { BroadcastUi } from './ui.ts';

const computeRate = ({ accepted, acted }: { accepted: number; acted: number }) =>
  accepted > 0 ? acted / accepted : 0;

export function BestHourEffect({ ui, id }: { ui: BroadcastUi; id: string }) {
  const t = useTexts('broadcasts');
  const { number, percent } = useFormats();
  const { data } = useQuery(
    ui.api.query('GET /client-api/api/campaigns/{id}/timing/effect', { params: { id } }),
  );
  const effect = data?.data;
  if (!effect) return null;
  const formatPoints = (value: number) => number(Math.round(value * 1000) / 10);
  const isChance = effect.low <= 0 && effect.high >= 0;
  return (
    <Text size="sm" mb="sm">
      {t('timing.effect', {
        ...{ own: percent(computeRate(effect.own)), control: percent(computeRate(effect.control)) },
        ...{ points: formatPoints(effect.difference), count: effect.control.accepted },
        ...{ low: formatPoints(effect.low), high: formatPoints(effect.high) },
        total: number(effect.control.accepted),
      })}{' '}
      {isChance && t('timing.chance')}
    </Text>
  );
}
