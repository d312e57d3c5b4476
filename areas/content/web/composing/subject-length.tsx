// Length of a subject line, compared with the length that phones show.
import { Text } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';

/** Number of characters of a subject that phones show. */
const PHONE_LENGTH = 40;
/** Number of characters that inboxes on desktops show. */
const DESKTOP_LENGTH = 70;
/** Replaces each merge tag that has no fallback, so that it counts as six characters. */
const TAG = 'xxxxxx';

/** Counts characters as readers see them, so that an emoji is one. */
function measureLength(subject: string): number {
  const displayedSubject = subject.replace(/\{\{([^{}]{0,500})\}\}/g, (_, tag: string) => {
    const fallback = /default:\s*"([^"]*)"/.exec(tag)?.[1];
    return fallback || TAG;
  });
  return [...new Intl.Segmenter().segment(displayedSubject.trim())].length;
}

export function SubjectLength({ subject }: { subject: string }) {
  const t = useTexts('composing');
  const count = measureLength(subject);
  if (count === 0) return null;
  const hint = count <= PHONE_LENGTH ? 'fits' : count <= DESKTOP_LENGTH ? 'cutOnPhones' : 'cut';
  return (
    <Text size="xs" c={hint === 'cut' ? 'warning' : 'dimmed'} mt={4}>
      {t('envelope.length', { count })} ·{' '}
      {t(`envelope.lengthHint.${hint}`, { shown: PHONE_LENGTH })}
    </Text>
  );
}
