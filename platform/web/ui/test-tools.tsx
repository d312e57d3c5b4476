// The built-in test tools: their pages, and links next to messages that arrive in one of them.
import { Anchor } from '@mantine/core';
import {
  IconBuildingStore,
  IconCreditCard,
  IconDeviceMobileMessage,
  IconMailbox,
  IconWebhook,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery, type TestTool } from '../session/session.ts';
import { useTexts } from '../texts/texts.ts';
import classes from './test-mode.module.css';

export const TOOL_PATHS: Record<TestTool, string> = {
  inbox: '/inbox',
  phone: '/phone',
  cards: '/gateway',
  shop: '/shop',
  hooks: '/hook-box',
};

export const TOOL_ICONS = {
  inbox: IconMailbox,
  phone: IconDeviceMobileMessage,
  cards: IconCreditCard,
  shop: IconBuildingStore,
  hooks: IconWebhook,
} satisfies Record<TestTool, unknown>;

/** Returns the tools that this browser can open; none in production or from other machines. */
export function useTestTools(): readonly TestTool[] {
  return useQuery(sessionQuery).data?.test_tools ?? [];
}

/**
 * Returns true if messages sent by this account arrive in the tool. Emails do not arrive in the
 * inbox if the account has its own mail server.
 */
function useArrivesIn(tool: TestTool): boolean {
  const session = useQuery(sessionQuery).data;
  const isBuiltIn = session?.test_tools?.includes(tool) === true;
  return isBuiltIn && (tool !== 'inbox' || session?.test_inbox === true);
}

/**
 * Shows a link next to messages that arrive in a tool instead of reaching recipients, and nothing
 * next to other messages.
 */
export function TestToolNote({ tool }: { tool: TestTool }) {
  const t = useTexts('platform');
  if (!useArrivesIn(tool)) return null;
  return (
    <p className={classes.note} role="note">
      <Anchor href={TOOL_PATHS[tool]} target="_blank" underline="always" inherit>
        {t(`tools.open_${tool}`)}
      </Anchor>
    </p>
  );
}

/** Host names and addresses of this machine; the inbox responds at no others. */
const LOCAL_HOST = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Shows a link to the inbox for a system email on screens without a session. */
export function GuestInboxNote() {
  const t = useTexts('platform');
  const isRunning = useQuery({
    queryKey: ['test-inbox'],
    enabled: LOCAL_HOST.test(window.location.hostname),
    retry: false,
    staleTime: Infinity,
    queryFn: async () => (await fetch(TOOL_PATHS.inbox, { method: 'HEAD' })).ok,
  }).data;
  if (!isRunning) return null;
  return (
    <Anchor href={TOOL_PATHS.inbox} target="_blank" underline="always" display="block" mt="sm">
      {t('tools.open_inbox')}
    </Anchor>
  );
}
