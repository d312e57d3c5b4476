// Hosts that receive email for their customers' domains, recognized by the domains' mail
// exchangers.
import { type MailHost, MAILBOXES } from '../shared.ts';

/** Registrable domains of the exchangers. */
const EXCHANGERS: Readonly<Record<MailHost, string>> = {
  workspace: 'google.com googlemail.com',
  microsoft365: 'outlook.com mx.microsoft',
  zoho: 'zoho.com zoho.eu zoho.in zohomail.com',
  ionos: 'kundenserver.de ionos.com ionos.de ionos.co.uk ionos.fr ionos.es 1and1.com',
  ovh: 'ovh.net',
  godaddy: 'secureserver.net',
  onecom: 'one.com',
  hostinger: 'hostinger.com',
  fastmail: 'messagingengine.com',
  proofpoint: 'pphosted.com ppe-hosted.com',
  mimecast: 'mimecast.com',
};

const byExchanger = new Map<string, number>(
  Object.entries(EXCHANGERS).flatMap(([host, domains]) =>
    domains.split(' ').map((domain): [string, number] => [domain, MAILBOXES[host as MailHost]]),
  ),
);

/** @param exchanger the registrable domain of a domain's first mail exchanger */
export const findMailboxOfExchanger = (exchanger: string): number =>
  byExchanger.get(exchanger) ?? MAILBOXES.other;
