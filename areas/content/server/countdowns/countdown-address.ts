// Signed addresses of countdown images. An address contains everything that its image shows, so no
// table is needed. The signature ensures that only images of saved or previewed documents can be
// requested.
import { timingSafeEqual } from 'node:crypto';
import { decodeId, encodeId } from '#platform/ids.ts';
import { isLanguage, type Language } from '#platform/languages.ts';
import { computeKeyedHash } from '#platform/server/secrets.ts';
import { forEachBlock, type EmailDocument } from '../../document.ts';
import { type CountdownValues, encodeCountdown } from '../document/countdown.ts';

export type SignedCountdown = {
  accountId: number;
  end: Date;
  language: Language;
  textColor: string;
  boxColor: string;
  /** Text shown after the end; without visible characters, zeros are shown. */
  endText: string;
};

/** Signatures are shortened to 128 bits. */
const SIGNATURE_BYTES = 16;

function sign(account: string, payload: string): Buffer {
  return computeKeyedHash('countdown image', `${account} ${payload}`).subarray(0, SIGNATURE_BYTES);
}

/**
 * Returns the image URLs of the document's countdowns, keyed by the result of `encodeCountdown`.
 */
export function createCountdownSources(
  document: EmailDocument,
  accountId: number,
  language: Language,
): Record<string, string> {
  const account = encodeId('account', accountId);
  const sources: Record<string, string> = {};
  forEachBlock(document, (block) => {
    const encoded = block.type === 'countdown' ? encodeCountdown(block, language) : undefined;
    if (encoded === undefined) return;
    const payload = Buffer.from(encoded).toString('base64url');
    const signature = sign(account, payload).toString('base64url');
    sources[encoded] = `/i/c/${account}.png?t=${payload}.${signature}`;
  });
  return sources;
}

/** Returns what a signed URL shows; undefined if this installation did not sign it. */
export function readCountdown(account: string, token: string): SignedCountdown | undefined {
  const [payload = '', signature = ''] = token.split('.');
  const signatureBytes = Buffer.from(signature, 'base64url');
  const accountId = decodeId('account', account);
  if (accountId === undefined || signatureBytes.length !== SIGNATURE_BYTES) return undefined;
  if (!timingSafeEqual(signatureBytes, sign(account, payload))) return undefined;
  const encoded = JSON.parse(Buffer.from(payload, 'base64url').toString()) as CountdownValues;
  const [end, language, textColor, boxColor, endText] = encoded;
  if (!isLanguage(language)) return undefined;
  return { accountId, end: new Date(end * 1000), language, textColor, boxColor, endText };
}
