// Short messages over the page.
import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { isOnline } from '../online.ts';
import { createStore } from '../store.ts';
import { text } from '../texts/texts.ts';

export const durations = {
  toast: 5_000,
  notice: 10_000,
  error: 5_000,
  uncaught: 8_000,
} as const;

export interface NoticeOptions {
  title?: string;
  /** Milliseconds; false shows it until closed. */
  duration?: number | false;
  /** Shown as a button; pressing it closes the notice. */
  action?: { label: string; run: () => void };
  /** A notice with the same id is replaced, not stacked. */
  id?: string;
}

/** Number of notices shown so far: their container is loaded with the first one. */
export const noticesStore = createStore(0, { survivesReset: true });

/** Display durations of these two notices in milliseconds. */
export const EMAIL_SENT_MS = 2_500;
export const ALREADY_VERIFIED_MS = 4_000;

/** Shows a brief confirmation, for 5 seconds by default. */
export function toast(message: ReactNode, options: NoticeOptions = {}): string {
  return show('success', message, { duration: durations.toast, ...options });
}

/** Shows a message to read, for 10 seconds by default. */
export function notice(message: ReactNode, options: NoticeOptions = {}): string {
  return show('info', message, { duration: durations.notice, ...options });
}

/** Reports that an action is done, with a button that undoes it. */
export function undoable(message: ReactNode, undo: () => void): string {
  return notice(message, { action: { label: text('platform:notices.undo'), run: undo } });
}

/**
 * Shows a failure, for 5 seconds by default. Shows nothing while offline, because a banner already
 * reports that.
 */
export function failure(message: ReactNode, options: NoticeOptions = {}): string {
  if (!isOnline()) return '';
  return show('failure', message, { duration: durations.error, ...options });
}

/** Shows a message that the user cannot close, because the app is about to act on its own. */
export function persistent(id: string, message: ReactNode, icon: ReactNode): void {
  noticesStore.set((shown) => shown + 1);
  notifications.show({
    id,
    message,
    icon,
    color: 'thread',
    autoClose: false,
    withCloseButton: false,
    withBorder: true,
    role: 'alert',
  });
}

export function hideNotice(id: string): void {
  notifications.hide(id);
}

export function clearNotices(): void {
  notifications.clean();
  notifications.cleanQueue();
}

const faces = {
  success: { color: 'success', icon: <IconCheck size={18} stroke={1.75} /> },
  info: { color: 'thread', icon: <IconInfoCircle size={18} stroke={1.75} /> },
  failure: { color: 'danger', icon: <IconAlertTriangle size={18} stroke={1.75} /> },
} as const;

function show(face: keyof typeof faces, message: ReactNode, options: NoticeOptions): string {
  const id = options.id ?? crypto.randomUUID();
  const { action } = options;
  const data = {
    id,
    title: options.title,
    message: action ? (
      <>
        <Text size="sm" component="div">
          {message}
        </Text>
        <Button
          size="compact-sm"
          variant="light"
          mt={8}
          onClick={() => {
            notifications.hide(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      </>
    ) : (
      message
    ),
    ...faces[face],
    role: face === 'failure' ? 'alert' : 'status',
    // A message about several fields has one line per field.
    styles: { description: { whiteSpace: 'pre-line' as const } },
    withBorder: true,
    autoClose: options.duration ?? durations.notice,
    closeButtonProps: { 'aria-label': text('platform:notices.close') },
  };
  noticesStore.set((shown) => shown + 1);
  if (notifications.show(data) === id) notifications.update(data);
  return id;
}
