// Names of the programs that created requests: API tokens and connected assistants.
import { assistantNames, listTokenTitles } from '#areas/accounts/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { ApprovalRow } from './approvals.sql.ts';

type RequestSource = Pick<ApprovalRow, 'asked_via' | 'asked_via_id'>;

/**
 * Returns a function that returns the name of the program that created a request; undefined for a
 * user.
 */
export async function createProgramNamer(
  tx: Tx,
  accountId: number,
  rows: readonly RequestSource[],
): Promise<(row: RequestSource) => string | undefined> {
  const listIds = (via: string) => [
    ...new Set(rows.flatMap((row) => (row.asked_via === via ? (row.asked_via_id ?? []) : []))),
  ];
  const [tokenIds, assistantIds] = [listIds('token'), listIds('agent')];
  const tokens = tokenIds.length === 0 ? [] : await listTokenTitles(tx, accountId, tokenIds);
  const assistants =
    assistantIds.length === 0
      ? []
      : await assistantNames.collect(tx, { accountId, ids: assistantIds });
  const names = new Map([
    ...tokens.map(({ id, title }): [string, string] => [`token ${id}`, title]),
    ...assistants.map(({ id, name }): [string, string] => [`agent ${id}`, name]),
  ]);
  return (row) => names.get(`${row.asked_via} ${row.asked_via_id}`);
}
