// The forecast: how many people would have entered in the last 30 days, where they would be now,
// and which messages they would have received.
import { Alert, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useNoteText } from '../notes.ts';
import { api } from '../queries.ts';
import { useBuilder } from '../use-builder.ts';
import { useStepTexts } from '../step-texts.ts';

export default function ForecastPanel() {
  const t = useTexts('workflows');
  const { number } = useFormats();
  const { workflow } = useBuilder();
  const { getStepName } = useStepTexts();
  const formatNote = useNoteText();
  const forecast = useQuery({
    ...api.query('GET /client-api/api/workflows/{id}/forecast', { params: { id: workflow.id } }),
    staleTime: 0,
  });
  if (forecast.isError && !forecast.data)
    return <FailedState error={forecast.error} retry={() => void forecast.refetch()} />;
  if (!forecast.data) return <LoadingState rows={4} />;
  const {
    is_known: isKnown,
    is_least: isMinimum,
    entered,
    days,
    here,
    ended,
    messages,
  } = forecast.data.data;
  if (!isKnown) return <Alert color="gray">{t('forecast.unknown')}</Alert>;
  const nameStep = (id: string) => {
    const step = workflow.steps.find((step) => step.id === id);
    return step ? getStepName(step) : '–';
  };
  const rows = [
    ...here.map(
      (count) => [t('forecast.here', { name: nameStep(count.step_id) }), count.people] as const,
    ),
    ...ended.map((count) => [formatNote(count.outcome), count.people] as const),
    ...messages.map(
      (message) =>
        [t('forecast.sent', { name: nameStep(message.step_id) }), message.people] as const,
    ),
  ];
  return (
    <>
      <Text mb="sm">{t('forecast.entered', { count: entered, days: number(days) })}</Text>
      {isMinimum && (
        <Text mb="sm" size="sm" c="dimmed">
          {t('forecast.least')}
        </Text>
      )}
      {rows.length > 0 && (
        <Table aria-label={t('tools.forecast')}>
          <Table.Tbody>
            {rows.map(([label, people]) => (
              <Table.Tr key={label}>
                <Table.Td>{label}</Table.Td>
                <Table.Td ta="end">{number(people)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </>
  );
}
