// The demo's forms: published, with views and sign-ups of two years.
import { createForm, updateForm } from '#areas/forms/server/forms.ts';
import { decodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { insertSignUps, insertViews, settleForm } from './forms.sql.ts';
import type { DemoHistory } from './history.sql.ts';

/** `share`: which sign-ups used this form; all sign-ups together are the range from 0 to 1. */
const FORMS = [
  { type: 'popup', key: 'popup', share: [0, 0.5] },
  { type: 'embed', key: 'embed', share: [0.5, 0.85] },
  { type: 'spinToWin', key: 'wheel', share: [0.85, 1] },
] as const;

export async function insertForms(tx: Tx, history: DemoHistory): Promise<void> {
  for (const { type, key, share } of FORMS) {
    const title = history.texts.forms[key];
    const form = await createForm(tx, history.accountId, { type, title });
    const id = decodeId('form', form.id) as number;
    await updateForm(tx, history.accountId, id, { is_active: true });
    await settleForm(tx, history, id);
    await insertSignUps(tx, history, id, share);
    await insertViews(tx, history, id, type !== 'embed');
  }
}
