// Parses a submitted email on a worker thread, for submit.ts.
import PostalMime from 'postal-mime';
import { MIME_LIMITS } from '#platform/server/limits/mime-limits.ts';

export const work = ({ bytes }: { bytes: Uint8Array }) =>
  PostalMime.parse(bytes, { ...MIME_LIMITS, forceRfc822Attachments: true });
