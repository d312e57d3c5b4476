// Shown when another tab or user saved a newer version; the author chooses a version.
import { Alert, type AlertProps, Button, Group, Text } from '@mantine/core';
import { useTexts } from '../texts/texts.ts';

interface StaleNoticeProps extends AlertProps {
  resolveConflict: (version: 'theirs' | 'ours') => unknown;
  /** The message, if the default sentence about content does not fit. */
  text?: string;
  /** False if the local version cannot be kept. */
  canKeep?: boolean;
}

export function StaleNotice({ resolveConflict, text, canKeep = true, ...rest }: StaleNoticeProps) {
  const t = useTexts('editing');
  return (
    <Alert color="warning" title={t('stale.title')} {...rest}>
      <Group gap="xs">
        <Text size="sm">{text ?? t('stale.content')}</Text>
        <Button size="xs" variant="default" onClick={() => void resolveConflict('theirs')}>
          {t('stale.take')}
        </Button>
        {canKeep && (
          <Button size="xs" variant="default" onClick={() => void resolveConflict('ours')}>
            {t('stale.keep')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
