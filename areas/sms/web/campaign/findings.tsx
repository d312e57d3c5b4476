// Findings about an SMS campaign on screens that cannot resolve them, such as a request for
// approval.
import { List } from '@mantine/core';
import type { SmsFinding } from '../../contract.ts';
import { useFindingText } from './finding-text.ts';

export default function SmsFindings({ findings }: { findings: readonly SmsFinding[] }) {
  const findingText = useFindingText();
  return (
    <List spacing="xs" size="sm">
      {findings.map((finding) => (
        <List.Item key={finding.code} c={finding.severity === 'error' ? 'danger' : undefined}>
          {findingText(finding)}
        </List.Item>
      ))}
    </List>
  );
}
