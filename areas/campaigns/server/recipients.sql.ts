// SQL about the people whom a campaign is previewed as.
import type { Reader } from '#platform/server/database.ts';

export type PersonRow = {
  id: number;
  email: string | null;
  firstname: string | null;
  lastname: string | null;
  phone: string | null;
  field_values: unknown;
};
const PERSON = ['id', 'email', 'firstname', 'lastname', 'phone', 'field_values'] as const;

/** The newest who can be mailed, or those whose address begins with the words. */
export function findPeople(
  db: Reader,
  accountId: number,
  search: string | undefined,
  limit: number,
): Promise<PersonRow[]> {
  const query = db
    .selectFrom('subscribers')
    .select(PERSON)
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .where('email_key', 'is not', null);
  if (search === undefined)
    return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
  const from = search.trim().toLowerCase();
  return query
    .where('email_key', '>=', from)
    .where('email_key', '<', `${from}\uffff`)
    .orderBy('email_key')
    .limit(limit)
    .execute();
}
