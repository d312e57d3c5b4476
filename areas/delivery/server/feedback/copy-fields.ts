// Header fields by which a provider names a copy in later reports. SendGrid reports spam complaints
// and unsubscribes without a Message-ID, and Postmark assigns its own Message-ID. Only these two
// get their fields, and remove or hide them; for other providers they would have no meaning.
import { COPY_NAME } from './hook-provider.ts';
import { providerOfHost } from '../relays/provider-hosts.ts';

/**
 * The complete header fields for the copy with this token (from its Message-ID), each `name: value
 * CRLF`, in ASCII.
 */
export type CopyFields = (token: string) => string;

/** Undefined for hosts whose reports contain the copy's Message-ID or return path. */
export function copyFieldsOf(host: string): CopyFields | undefined {
  const provider = providerOfHost(host);
  if (provider === 'sendgrid') return ofSendgrid;
  return provider === 'postmark' ? ofPostmark : undefined;
}

const ofSendgrid: CopyFields = (token) =>
  `X-SMTPAPI: {"unique_args":{"${COPY_NAME}":"${token}"}}\r\n`;

const ofPostmark: CopyFields = (token) =>
  `X-PM-KeepID: true\r\nX-PM-Metadata-${COPY_NAME}: ${token}\r\n`;
