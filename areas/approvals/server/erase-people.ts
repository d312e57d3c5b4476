// Removes the addresses of erased subscribers from requests: from the note, the reason of the
// decision, and the stored title, outline and previews of the object.
import { describeNaming, eraseAddressesIn } from '#platform/server/erasure/addresses.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { lockApprovalsNaming, updateApproval } from './approvals.sql.ts';

/** Handles `subscriber.erased`. */
export async function eraseFromRequests(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<void> {
  // `addresses` may be empty, because an address that another subscriber has now is not erased.
  if (addresses.length === 0) return;
  const rows = await lockApprovalsNaming(tx, accountId, describeNaming(addresses));
  for (const { id, note, reason, facts } of rows) {
    const eraseAddresses = (text: string) => eraseAddressesIn(text, addresses);
    const outline = facts.outline.map((line) => ({ ...line, text: eraseAddresses(line.text) }));
    const previews = facts.previews.map((preview) => ({
      ...preview,
      title: eraseAddresses(preview.title),
    }));
    const erasedFacts = { ...facts, title: eraseAddresses(facts.title), outline, previews };
    await updateApproval(tx, accountId, id, {
      ...{
        note: eraseAddresses(note),
        reason: eraseAddresses(reason),
        facts: JSON.stringify(erasedFacts),
      },
    });
    sendChangeHint(tx, accountId, 'approval', id);
  }
}
