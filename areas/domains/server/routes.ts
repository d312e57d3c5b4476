// Routes of sending domains.
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { type Handlers, type Limits, type Route, serve } from '#platform/server/http/serve.ts';
import { networkOf } from '#platform/server/limits/visitor-network.ts';
import { calls } from '../contract.ts';
import * as domains from './domains.ts';
import { domainUses } from './senders.ts';

const CHECKS = { capacity: 60, perSecond: 1 };
const EMAIL_LIMIT = { capacity: 5, perSecond: 5 / 3600 };
/** Rate limit: each addition emails an unconfirmed address and creates two keys. */
const ADDITIONS = { capacity: 30, perSecond: 30 / 3600 };

const limits: Limits<typeof calls> = {
  addDomain: ({ db, who }) => requireToken(db, `domain-add:${who.accountId}`, ADDITIONS),
  checkDomain: ({ db, who }) => requireToken(db, `domain-check:${who.accountId}`, CHECKS),
  recheckDomain: ({ db, who }) => requireToken(db, `domain-check:${who.accountId}`, CHECKS),
  resendDomainEmail: ({ db, who }) =>
    requireToken(db, `domain-letter:${who.accountId}`, EMAIL_LIMIT),
  confirmDomain: ({ db, request }) =>
    requireToken(db, `domain-confirm:${networkOf(request.ip)}`, CHECKS),
};

export function domainRoutes(tools: domains.DomainTools): Route[] {
  const handlers: Handlers<typeof calls> = {
    listDomains: async ({ tx, who, query }) =>
      domains.listDomains(tx, who.accountId, query.list, tools.hosts),
    addDomain: ({ tx, who, body }) => domains.addDomain(tx, who.accountId, body.email, tools),
    checkDomain: ({ db, who, body }) =>
      domains.checkDomain(db, who.accountId, body.domain, tools, who.language),
    getDomain: ({ tx, who, params }) =>
      domains.readDomain(tx, who.accountId, params.id, tools.hosts),
    recheckDomain: ({ db, who, params }) =>
      domains.recheckDomain(db, who.accountId, params.id, tools),
    resendDomainEmail: ({ tx, who, params }) =>
      domains.resendDomainVerification(tx, who.accountId, params.id),
    confirmDomain: async ({ tx, body }) => ({
      domain_name: await domains.confirmDomain(tx, body.token),
    }),
    readDomainUses: ({ tx, who, params }) => domainUses(tx, who.accountId, params.id),
    removeDomain: ({ tx, who, params }) => domains.removeDomain(tx, who.accountId, params.id),
  };
  return serve('domains', calls, handlers, limits);
}
