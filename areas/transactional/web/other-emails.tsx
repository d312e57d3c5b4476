// Emails sent without a template, through SMTP or with their own content, and a link to the report.
import { Anchor, Group, Paper, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Transactional } from '../contract.ts';
import { transactionalPath } from './queries.ts';

type OtherEmails = { id: string; figures: Transactional['figures'] };

const FIGURES = ['sent', 'opens', 'clicks', 'bounces'] as const;

/** Renders nothing until such an email was sent. */
export function OtherEmails({ emails }: { emails: OtherEmails | null | undefined }) {
  const t = useTexts('transactional');
  const { number } = useFormats();
  if (!emails) return null;
  return (
    <Paper withBorder p="md" mb="md" component="section" aria-label={t('other.title')}>
      <Group justify="space-between" gap="md">
        <div>
          <Text fw={600}>{t('other.title')}</Text>
          <Text size="sm" c="dimmed">
            {t('other.text')}
          </Text>
        </div>
        <Group gap="lg">
          {FIGURES.map((name) => (
            <Text key={name} size="sm">
              {t(`figures.${name}`)}: <b>{number(emails.figures[name])}</b>
            </Text>
          ))}
          <Anchor
            component={Link}
            to={transactionalPath(emails.id, 'report/activity')}
            underline="always"
          >
            {t('acts.report')}
          </Anchor>
        </Group>
      </Group>
    </Paper>
  );
}
