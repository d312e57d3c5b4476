// Palette entries that this user recently opened in this account on this device, newest first.
import { readSession } from '../session/session.ts';

export interface Recent {
  id: string;
  label: string;
  kind?: string | undefined;
  to: string;
}

const MAX_RECENT = 6;
const keyOf = () =>
  `sendloom.recent.${readSession()?.user.id ?? ''}.${readSession()?.account.id ?? ''}`;

export function readRecent(): Recent[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf()) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecent).slice(0, MAX_RECENT) : [];
  } catch {
    return [];
  }
}

/**
 * Stores an opened object. Commands and screens are found by name as quickly, so they are left out.
 */
export function remember({ id, label, kind, to }: Partial<Recent>): void {
  if (!id || !label || !kind || !to || id.startsWith('to:')) return;
  const otherItems = readRecent().filter((recent) => recent.to !== to);
  const entries = [{ id, label, kind, to }, ...otherItems].slice(0, MAX_RECENT);
  try {
    localStorage.setItem(keyOf(), JSON.stringify(entries));
  } catch {
    // Without storage there are no recent entries.
  }
}

function isRecent(entry: unknown): entry is Recent {
  const { id, label, to } = (entry ?? {}) as Record<string, unknown>;
  return (
    [id, label, to].every((value) => typeof value === 'string') && /^\/(?!\/)/.test(String(to))
  );
}
