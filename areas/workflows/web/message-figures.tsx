// Results of a step's messages, shown in the step's report and in its panel of the builder.
import { SimpleGrid, Text } from '@mantine/core';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { WorkflowReport } from '../contract.ts';

export function MessageFigures({
  report,
  currentCount,
  isNarrow = false,
}: {
  report: WorkflowReport;
  /** Number of people at the step now. */
  currentCount: number;
  isNarrow?: boolean;
}) {
  const t = useTexts('workflows');
  const { number, percent } = useFormats();
  const visibleFigures = [
    ['sent', report.sent],
    ['opened', report.opened, report.open_rate],
    ['clicked', report.clicked, report.click_rate],
    ['unsubscribed', report.unsubscribed, report.unsubscribe_rate],
    ['bounced', report.bounced, report.bounce_rate],
    ['here', currentCount],
  ] as const;
  return (
    <SimpleGrid
      cols={isNarrow ? 3 : { base: 2, sm: 3, lg: 6 }}
      spacing={isNarrow ? 'xs' : 'md'}
      component="dl"
      m={0}
    >
      {visibleFigures.map(([name, value, rate]) => (
        <div key={name}>
          <Text component="dt" size={isNarrow ? 'xs' : 'sm'} c="dimmed">
            {t(`report.${name}`)}
          </Text>
          <Text component="dd" m={0} size={isNarrow ? 'sm' : 'xl'} fw={600}>
            {number(value)}{' '}
            {rate !== undefined && (
              <Text component="span" size={isNarrow ? 'xs' : 'sm'} c="dimmed">
                {percent(rate / 100)}
              </Text>
            )}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}
