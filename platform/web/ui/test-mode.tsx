// Indicates on every screen, and next to send buttons, that emails reach no recipients.
import { Anchor } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sessionQuery } from '../session/session.ts';
import { createStore, useStore } from '../store.ts';
import { useTexts } from '../texts/texts.ts';
import classes from './test-mode.module.css';

/**
 * True if the account's emails stay in the built-in inbox; refetched when a mail server is enabled
 * or disabled.
 */
export function useTestMode(): boolean {
  return useQuery(sessionQuery).data?.test_inbox === true;
}

interface Note {
  text: string;
  /** Address of the built-in tool that receives the messages sent here. */
  href: string;
  open: string;
}

/** Notes of the shown screen, newest last. They replace the banner's text, so that it is shown once. */
const notes = createStore<readonly Note[]>([]);
const banners = createStore(0, { keep: true });

/** A one-line banner above the screen. */
export function TestModeBanner() {
  const t = useTexts('platform');
  const isTest = useTestMode();
  const note = useStore(notes).at(-1);
  useEffect(() => {
    banners.set((count) => count + 1);
    return () => banners.set((count) => count - 1);
  }, []);
  if (!isTest && !note) return null;
  const { href, open } = note ?? { href: '/inbox', open: t('testMode.open') };
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
        <ToolLink href={href}>{open}</ToolLink>
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
  return <ToolNote text={children} href="/inbox" open={t('testMode.open')} />;
}

/** A note that is shown in the banner, or at its own position on screens without a banner. */
export function ToolNote({ text, href, open }: Note) {
  const hasBanner = useStore(banners) > 0;
  useEffect(() => {
    const note = { text, href, open };
    notes.set((before) => [...before, note]);
    return () => notes.set((before) => before.filter((other) => other !== note));
  }, [text, href, open]);
  if (hasBanner) return null;
  return (
    <p className={classes.note} role="note">
      {text} <ToolLink href={href}>{open}</ToolLink>
    </p>
  );
}
