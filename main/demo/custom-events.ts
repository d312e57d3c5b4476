// The demo's custom events, as the shop's own programs would record them.
import { createEvent } from '#areas/events/server/custom-events.ts';
import { decodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { insertOccurrences } from './custom-events.sql.ts';
import type { Past } from './history.sql.ts';

const EVENTS = [
  {
    name: 'tea_quiz_completed',
    description: 'Answered the quiz “Which tea are you?”',
    share: 0.12,
  },
  { name: 'shop_visited', description: 'Showed the loyalty card at the counter', share: 0.2 },
];

export async function insertCustomEvents(tx: Tx, past: Past): Promise<void> {
  for (const { name, description, share } of EVENTS) {
    const event = await createEvent(tx, past.accountId, { name, description });
    await insertOccurrences(tx, past, decodeId('custom_event', event.id) as number, share);
  }
}
