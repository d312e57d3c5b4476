// The demo's custom events, as the shop's own programs would record them.
import { createEvent } from '#areas/events/server/custom-events.ts';
import { decodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { insertOccurrences } from './custom-events.sql.ts';
import type { DemoHistory } from './history.sql.ts';

const EVENTS = [
  { name: 'tea_quiz_completed', key: 'quiz', share: 0.12 },
  { name: 'shop_visited', key: 'visit', share: 0.2 },
] as const;

export async function insertCustomEvents(tx: Tx, history: DemoHistory): Promise<void> {
  for (const { name, key, share } of EVENTS) {
    const description = history.texts.events[key];
    const event = await createEvent(tx, history.accountId, { name, description });
    await insertOccurrences(tx, history, decodeId('custom_event', event.id) as number, share);
  }
}
