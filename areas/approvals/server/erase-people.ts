// Removes the addresses of erased subscribers from the texts of requests: the note, the reason of
// the decision, and the titles of objects.
import { describeNaming, withoutAddressesIn } from '#areas/segments/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { hint } from '#platform/server/live/live.ts';
import { lockNaming, updateApproval } from './approvals.sql.ts';

/** Handler of `subscriber.erased`. */
export async function eraseFromRequests(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<void> {
  // An address that another subscriber has now is not erased.
  if (addresses.length === 0) return;
  const rows = await lockNaming(tx, accountId, describeNaming(addresses));
  for (const { id, note, reason, facts } of rows) {
    const without = (text: string) => withoutAddressesIn(text, addresses);
    const outline = facts.outline.map((line) => ({ ...line, text: without(line.text) }));
    const previews = facts.previews.map((shown) => ({ ...shown, title: without(shown.title) }));
    const erased = { ...facts, title: without(facts.title), outline, previews };
    await updateApproval(tx, accountId, id, {
      ...{ note: without(note), reason: without(reason), facts: JSON.stringify(erased) },
    });
    hint(tx, accountId, 'approval', id);
  }
}
