// Recently inserted emoji, on this device and of this user, newest first.
import { readSession } from '../session/session.ts';

const MAX_RECENT = 16;
const keyOf = () => `sendloom.emoji.${readSession()?.user.id ?? ''}`;

export function readRecentEmoji(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf()) ?? '[]');
    if (!Array.isArray(stored)) return [];
    return stored
      .filter((symbol): symbol is string => typeof symbol === 'string' && symbol.length <= 32)
      .slice(0, MAX_RECENT);
  } catch {
    return [];
  }
}

export function rememberEmoji(emoji: string): void {
  const recent = [emoji, ...readRecentEmoji().filter((symbol) => symbol !== emoji)].slice(
    0,
    MAX_RECENT,
  );
  try {
    localStorage.setItem(keyOf(), JSON.stringify(recent));
  } catch {
    // Without storage there are no recent emoji.
  }
}
