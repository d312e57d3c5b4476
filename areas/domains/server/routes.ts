// The calls of sending domains.
import { requireToken } from '#platform/server/rate-limit.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { networkOf } from '#platform/server/visitor-network.ts';
import { calls } from '../contract.ts';
import * as domains from './domains.ts';

const CHECKS = { capacity: 60, perSecond: 1 };
const LETTERS = { capacity: 5, perSecond: 5 / 3600 };
/** Each mails a stranger's address and makes two keys. */
const ADDITIONS = { capacity: 30, perSecond: 30 / 3600 };

export function domainRoutes(tools: domains.DomainTools): Route[] {
  return serve('domains', calls, {
    listDomains: async ({ tx, who, query }) =>
      domains.listDomains(tx, who.accountId, query.list, tools.hosts),
    addDomain: async ({ db, tx, who, body }) => {
      await requireToken(db, `domain-add:${who.accountId}`, ADDITIONS);
      return { data: await domains.addDomain(tx, who.accountId, body.email, tools) };
    },
    checkDomain: async ({ db, who, body }) => {
      await requireToken(db, `domain-check:${who.accountId}`, CHECKS);
      return domains.checkDomain(db, who.accountId, body.domain, tools, who.language);
    },
    getDomain: async ({ tx, who, params }) => ({
      data: await domains.readDomain(tx, who.accountId, params.id, tools.hosts),
    }),
    recheckDomain: async ({ db, who, params }) => {
      await requireToken(db, `domain-check:${who.accountId}`, CHECKS);
      return { data: await domains.recheckDomain(db, who.accountId, params.id, tools) };
    },
    resendDomainLetter: async ({ db, tx, who, params }) => {
      await requireToken(db, `domain-letter:${who.accountId}`, LETTERS);
      await domains.resendLetter(tx, who.accountId, params.id);
      return { success: true as const };
    },
    confirmDomain: async ({ db, tx, body, request }) => {
      await requireToken(db, `domain-confirm:${networkOf(request.ip)}`, CHECKS);
      return { data: { domain_name: await domains.confirmDomain(tx, body.token) } };
    },
    removeDomain: async ({ tx, who, params }) => {
      await domains.removeDomain(tx, who.accountId, params.id);
      return { success: true as const };
    },
  });
}
