// The header fields by which a service names a copy in whatever it tells of it later. SendGrid tells of spam
// reports and of people who leave without any Message-ID, and Postmark gives each mail one of its own. Only
// these two get theirs, and take them out or keep them to themselves; to others they would mean nothing.
import { COPY_NAME } from './hook-provider.ts';
import { providerOfHost } from '../relays/provider-hosts.ts';

/** The whole fields for the copy with this token (its Message-ID's), each `name: value CRLF`, in ASCII. */
export type CopyFields = (token: string) => string;

/** Undefined for hosts that tell by the Message-ID or return path that the copy left with. */
export function copyFieldsOf(host: string): CopyFields | undefined {
  const provider = providerOfHost(host);
  if (provider === 'sendgrid') return ofSendgrid;
  return provider === 'postmark' ? ofPostmark : undefined;
}

const ofSendgrid: CopyFields = (token) =>
  `X-SMTPAPI: {"unique_args":{"${COPY_NAME}":"${token}"}}\r\n`;

const ofPostmark: CopyFields = (token) =>
  `X-PM-KeepID: true\r\nX-PM-Metadata-${COPY_NAME}: ${token}\r\n`;
