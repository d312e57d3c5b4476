// Another tab, or somebody else, saved something newer: the author decides.
import { Alert, Button, Group, Text } from '@mantine/core';
import { useTexts } from '#platform/web/texts.ts';

export function StaleNotice({ settle }: { settle: (whose: 'theirs' | 'ours') => Promise<void> }) {
  const t = useTexts('forms-builder');
  return (
    <Alert color="warning" title={t('stale.title')} radius={0}>
      <Group gap="xs">
        <Text size="sm">{t('stale.content')}</Text>
        <Button size="xs" variant="default" onClick={() => void settle('theirs')}>
          {t('stale.take')}
        </Button>
        <Button size="xs" variant="default" onClick={() => void settle('ours')}>
          {t('stale.keep')}
        </Button>
      </Group>
    </Alert>
  );
}
