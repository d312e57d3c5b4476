// The audience by day as a thin line.
import { useElementSize } from '@mantine/hooks';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LineChart } from '#platform/web/ui/line-chart.tsx';
import type { Growth } from '../contract.ts';

export default function GrowthChart({ growth }: { growth: Growth }) {
  const t = useTexts('dashboard');
  const { date } = useFormats();
  const { ref, width, height } = useElementSize();
  // Formatted at noon in UTC, so that the reader's zone does not change the day.
  const names = growth.days.map(({ day }) => date(`${day}T12:00:00Z`, 'UTC'));
  const { total, added, lost, removed } = growth;
  return (
    <div ref={ref}>
      {width > 0 && (
        <LineChart
          width={width}
          height={height}
          label={t('growth.summary', { total, added, lost, removed })}
          names={names}
          hasFloor
          lines={[{ name: t('growth.total'), values: growth.days.map((day) => day.total) }]}
        />
      )}
    </div>
  );
}
