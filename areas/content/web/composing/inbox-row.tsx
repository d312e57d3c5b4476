// The email in an inbox: sender, subject, preheader.
import { Text } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './inbox-row.module.css';

export function InboxRow({
  from,
  subject,
  preheader,
}: {
  from: string;
  subject: string;
  preheader: string;
}) {
  const t = useTexts('composing');
  return (
    <div className={classes.row} role="img" aria-label={t('inbox.label')}>
      <span className={classes.initial} aria-hidden="true">
        {[...from.trim()][0]?.toUpperCase()}
      </span>
      <div className={classes.words}>
        <Text size="sm" fw={600} truncate dir="auto">
          {from}
        </Text>
        <Text size="sm" truncate dir="auto">
          {subject || t('noSubject')}
        </Text>
        <Text size="sm" c="dimmed" truncate dir="auto">
          {preheader || t('inbox.noPreheader')}
        </Text>
      </div>
    </div>
  );
}
