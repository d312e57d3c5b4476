// How the mail will look in a list of mails: sender, subject, preheader.
import { Avatar, Text } from '@mantine/core';
import '@mantine/core/styles/Avatar.layer.css';
import { useTexts } from '#platform/web/texts.ts';
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
  const t = useTexts('campaigns');
  return (
    <div className={classes.row} role="img" aria-label={t('inbox.label')}>
      <Avatar radius="xl" size={36} name={from} color="initials" aria-hidden="true" />
      <div className={classes.words}>
        <Text size="sm" fw={600} truncate>
          <bdi>{from}</bdi>
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
