// Header fields that make a provider's reports identify the copy. SendGrid reports spam complaints
// and unsubscribes without a Message-ID, and Postmark assigns its own Message-ID. Only copies
// through these two get such fields, which the provider removes or hides.
import { COPY_NAME } from './hook-provider.ts';
import { findProviderOfHost } from '../relays/provider-hosts.ts';

/**
 * Returns the header fields for the copy with this token (the token in its Message-ID), in ASCII,
 * each with its final CRLF.
 */
export type CopyFields = (token: string) => string;

/** Returns undefined for all hosts except SendGrid's and Postmark's. */
export function readCopyFields(host: string): CopyFields | undefined {
  const provider = findProviderOfHost(host);
  if (provider === 'sendgrid') return ofSendgrid;
  return provider === 'postmark' ? ofPostmark : undefined;
}

const ofSendgrid: CopyFields = (token) =>
  `X-SMTPAPI: {"unique_args":{"${COPY_NAME}":"${token}"}}\r\n`;

const ofPostmark: CopyFields = (token) =>
  `X-PM-KeepID: true\r\nX-PM-Metadata-${COPY_NAME}: ${token}\r\n`;
