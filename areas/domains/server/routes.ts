// Serves the sending domain endpoints and limits their rates.
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import {
  type Handlers,
  type CallLimits,
  type Route,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { toNetwork } from '#platform/server/limits/visitor-network.ts';
import { calls } from '../contract.ts';
import * as domains from './domains.ts';
import { listDomainUses } from './senders.ts';

const CHECKS = { capacity: 60, perSecond: 1 };
const EMAIL_LIMIT = { capacity: 5, perSecond: 5 / 3600 };
/** Additions are limited, because each one emails an unconfirmed address and creates two keys. */
const ADDITIONS = { capacity: 30, perSecond: 30 / 3600 };

const limits: CallLimits<typeof calls> = {
  addDomain: ({ db, caller }) => requireToken(db, `domain-add:${caller.accountId}`, ADDITIONS),
  checkDomain: ({ db, caller }) => requireToken(db, `domain-check:${caller.accountId}`, CHECKS),
  recheckDomain: ({ db, caller }) => requireToken(db, `domain-check:${caller.accountId}`, CHECKS),
  resendDomainEmail: ({ db, caller }) =>
    requireToken(db, `domain-letter:${caller.accountId}`, EMAIL_LIMIT),
  confirmDomain: ({ db, request }) =>
    requireToken(db, `domain-confirm:${toNetwork(request.ip)}`, CHECKS),
};

export function domainRoutes(tools: domains.DomainDependencies): Route[] {
  const handlers: Handlers<typeof calls> = {
    listDomains: async ({ tx, caller, query }) =>
      domains.listDomains(tx, caller.accountId, query.list, tools.hosts),
    addDomain: ({ tx, caller, body }) => domains.addDomain(tx, caller.accountId, body.email, tools),
    checkDomain: ({ db, caller, body }) =>
      domains.checkDomain(db, caller.accountId, body.domain, tools, caller.language),
    getDomain: ({ tx, caller, params }) =>
      domains.readDomain(tx, caller.accountId, params.id, tools.hosts),
    recheckDomain: ({ db, caller, params }) =>
      domains.recheckDomain(db, caller.accountId, params.id, tools),
    resendDomainEmail: ({ tx, caller, params }) =>
      domains.resendDomainVerification(tx, caller.accountId, params.id),
    confirmDomain: async ({ tx, body }) => ({
      domain_name: await domains.confirmDomain(tx, body.token),
    }),
    readDomainUses: ({ tx, caller, params }) => listDomainUses(tx, caller.accountId, params.id),
    removeDomain: ({ tx, caller, params }) => domains.removeDomain(tx, caller.accountId, params.id),
  };
  return createRoutes('domains', calls, handlers, limits);
}
