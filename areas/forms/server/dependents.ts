// What forms say of things that others would delete.
import { encodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database.ts';
import { formsWithField, formsWithGroup } from './forms.sql.ts';

const present = ({ id, title }: { id: number; title: string }) => ({
  kind: 'form' as const,
  id: encodeId('form', id),
  title,
});

export async function formsUsingGroup(
  tx: Tx,
  { accountId, groupId }: { accountId: number; groupId: number },
) {
  return (await formsWithGroup(tx, accountId, groupId)).map(present);
}

export async function formsUsingField(
  tx: Tx,
  { accountId, fieldId }: { accountId: number; fieldId: number },
) {
  return (await formsWithField(tx, accountId, encodeId('field', fieldId))).map(present);
}
