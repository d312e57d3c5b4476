// A hint shown where the recipients of a campaign are chosen. It suggests excluding inactive
// subscribers if that would lose hardly any clicks.
import { Paper } from '@mantine/core';
import { Suggestion, useForecast } from './send-forecast.tsx';

interface ExclusionHintProps {
  id: string;
  revision: number;
}

export default function ExclusionHint({ id, revision }: ExclusionHintProps) {
  const [first] = useForecast(id, revision).data?.data?.suggestions ?? [];
  if (!first) return null;
  return (
    <Paper withBorder p="md">
      <Suggestion suggestion={first} id={id} revision={revision} />
    </Paper>
  );
}
