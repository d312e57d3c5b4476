// The key of a link that previews a form's draft on the author's site; valid until the end of the
// next day.
import { decodePublicId, encodePublicId } from '#platform/ids.ts';
import { computeKeyedHash } from '#platform/server/secrets.ts';

const DAY_MS = 86_400_000;
const PURPOSE = 'previews of forms';

type PreviewedForm = { accountId: number; id: number };

const sign = (publicId: string, expiresAt: number): string =>
  computeKeyedHash(PURPOSE, `${publicId} ${expiresAt}`).toString('base64url').slice(0, 22);

export function createPreviewKey({ accountId, id }: PreviewedForm, now: Date): string {
  const publicId = encodePublicId('form', accountId, id);
  // The end of the next day in UTC, so that keys and responses of the same day are identical.
  const expiresAt = (Math.floor(now.getTime() / DAY_MS) + 2) * DAY_MS;
  return `${publicId}.${expiresAt.toString(36)}.${sign(publicId, expiresAt)}`;
}

/** Returns the form of a valid key, or undefined for a wrong or expired one. */
export function readPreviewKey(key: string, now: Date): PreviewedForm | undefined {
  const [publicId = '', expires = '', signature = ''] = key.split('.');
  const expiresAt = Number.parseInt(expires, 36);
  if (!(expiresAt > now.getTime()) || signature !== sign(publicId, expiresAt)) return undefined;
  return decodePublicId('form', publicId);
}
