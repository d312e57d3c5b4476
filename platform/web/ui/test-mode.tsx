// Indicates on every screen, and beside sends, that emails reach no recipients.
import { Anchor } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../session/session.ts';
import { useTexts } from '../texts/texts.ts';
import classes from './test-mode.module.css';

/**
 * Whether the account's emails stay in the built-in inbox; refetched when a mail server is enabled
 * or disabled.
 */
export function useTestMode(): boolean {
  return useQuery(sessionQuery).data?.test_inbox === true;
}

function TestInboxLink() {
  const t = useTexts('platform');
  return (
    <Anchor href="/inbox" target="_blank" underline="always" inherit>
      {t('testMode.open')}
    </Anchor>
  );
}

/** One line above the screen. */
export function TestModeBanner() {
  const t = useTexts('platform');
  if (!useTestMode()) return null;
  return (
    <aside className={classes.banner} aria-label={t('testMode.title')}>
      <IconFlask size={16} stroke={1.75} aria-hidden="true" />
      <span>
        <strong>{t('testMode.title')}</strong> · {t('testMode.text')} <TestInboxLink />
      </span>
    </aside>
  );
}

/** Shown beside something that is about to be sent, or was. */
export function TestModeNote({ children }: { children: string }) {
  if (!useTestMode()) return null;
  return (
    <p className={classes.note} role="note">
      {children} <TestInboxLink />
    </p>
  );
}
