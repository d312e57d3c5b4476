// The draft of a form as sites would show it, behind a link that only the account's users get.
import type { FormDocument, FormType, Snapshot } from '#embed/forms/shared/document.ts';
import type { ShownPrize } from '#embed/forms/shared/success.ts';
import { encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { findCoupon } from '../coupon.ts';
import { FormSettings } from '../settings-contract.ts';
import { listInterests } from './forms.ts';
import { findForm } from './forms.sql.ts';
import { readPreviewKey } from './preview-link.ts';
import { createSnapshot } from './snapshot.ts';

type FormPreview = { snapshot: Snapshot; prize?: ShownPrize | undefined };

/**
 * Finds the draft of a preview key. Returns undefined if the key is wrong or expired, or the form
 * was deleted.
 */
export async function findPreview(db: Db, key: string): Promise<FormPreview | undefined> {
  const id = readPreviewKey(key, clock.now());
  const form = id && (await findForm(db, id.accountId, id.id));
  if (!form) return undefined;
  const type = form.type as FormType;
  const document = form.document;
  const settings = FormSettings.parse(form.settings);
  const snapshot = createSnapshot({
    publicId: encodePublicId('form', form.account_id, form.id),
    version: 0,
    interests: await listInterests(db, form.account_id, form.id),
    isEmailed: false,
    ...{ type, document, settings },
  });
  return { snapshot, prize: createSamplePrize(type, document, settings) };
}

function createSamplePrize(
  type: FormType,
  document: FormDocument,
  settings: FormSettings,
): ShownPrize | undefined {
  const slice = type === 'spinToWin' ? settings.wheel_config?.setup[0] : undefined;
  if (slice) return { slice: 0, label: slice.label, code: slice.coupon_code };
  const coupon = findCoupon(type, document, settings);
  if (!coupon || settings.double_opt_in) return undefined;
  return { slice: 0, label: coupon.prize, code: coupon.code || '•••••' };
}
