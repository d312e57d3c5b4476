// Indicates in test mode that messages stay in a built-in tool and reach no recipients: in the
// banner of every screen with the navigation, and in notes on screens that send or report messages.
import { Anchor } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sessionQuery } from '../session/session.ts';
import { createStore, useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import classes from './test-mode.module.css';

/**
 * Returns true if the account's emails stay in the built-in inbox. The screens of mail servers
 * refetch this after each change of a server.
 */
export function useTestMode(): boolean {
  return useQuery(sessionQuery).data?.test_inbox === true;
}

interface TestNote {
  text: string;
  /** Address of the built-in tool that receives the messages sent here. */
  href: string;
  linkText: string;
}

/**
 * Notes of the current screen, newest last. The newest replaces the banner's text, so that the user
 * reads about test mode only once.
 */
const notes = createStore<readonly TestNote[]>([]);
/** Number of mounted banners. */
const bannerCount = createStore(0, { survivesReset: true });

/** Shows a one-line banner above the screen in test mode, or if the screen has a note. */
export function TestModeBanner() {
  const t = useTexts('platform');
  const isTest = useTestMode();
  const note = useStore(notes).at(-1);
  useEffect(() => {
    bannerCount.set((count) => count + 1);
    return () => bannerCount.set((count) => count - 1);
  }, []);
  if (!isTest && !note) return null;
  const { href, linkText } = note ?? { href: '/inbox', linkText: t('testMode.open') };
  return (
    <aside className={classes.banner} aria-label={t('testMode.title')}>
      <IconFlask size={16} stroke={1.75} aria-hidden="true" />
      <span>
        {note ? (
          note.text
        ) : (
          <>
            <strong>{t('testMode.title')}</strong> · {t('testMode.text')}
          </>
        )}{' '}
        <ToolLink href={href}>{linkText}</ToolLink>
      </span>
    </aside>
  );
}

function ToolLink({ href, children }: { href: string; children: string }) {
  return (
    <Anchor href={href} target="_blank" underline="always" inherit>
      {children}
    </Anchor>
  );
}

/** Explains the effect of test mode before and after emails are sent. */
export function TestModeNote({ children }: { children: string }) {
  const t = useTexts('platform');
  if (!useTestMode()) return null;
  return <ToolNote text={children} href="/inbox" linkText={t('testMode.open')} />;
}

/** Shows a note in the banner, or at its own position on screens without a banner. */
export function ToolNote({ text, href, linkText }: TestNote) {
  const hasBanner = useStore(bannerCount) > 0;
  useEffect(() => {
    const note = { text, href, linkText };
    notes.set((before) => [...before, note]);
    return () => notes.set((before) => before.filter((other) => other !== note));
  }, [text, href, linkText]);
  if (hasBanner) return null;
  return (
    <p className={classes.note} role="note">
      {text} <ToolLink href={href}>{linkText}</ToolLink>
    </p>
  );
}
