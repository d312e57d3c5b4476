// The demo's custom events, as the shop's own programs would record them.
import { createEvent } from '#areas/events/server/custom-events.ts';
import { decodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { insertOccurrences } from './custom-events.sql.ts';
import type { Past } from './history.sql.ts';

const EVENTS = [
  { name: 'tea_quiz_completed', key: 'quiz', share: 0.12 },
  { name: 'shop_visited', key: 'visit', share: 0.2 },
] as const;

export async function insertCustomEvents(tx: Tx, past: Past): Promise<void> {
  for (const { name, key, share } of EVENTS) {
    const description = past.texts.events[key];
    const event = await createEvent(tx, past.accountId, { name, description });
    await insertOccurrences(tx, past, decodeId('custom_event', event.id) as number, share);
  }
}
