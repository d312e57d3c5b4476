// Serves the short links of SMS: it redirects to their targets, and shows the opt-out page. A GET request
// does not unsubscribe, because link scanners open every link.
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { readAccount } from '#areas/accounts/server/index.ts';
import { LEAVE_POSITION } from '#areas/content/server/index.ts';
import { readSingle, type SingleCopy } from '#areas/delivery/server/ledger/index.ts';
import { suppress, unsubscribe } from '#areas/subscribers/server/index.ts';
import { countShortClick, findShortLinkTarget } from '#areas/tracking/server/index.ts';
import { isLanguage } from '#platform/languages.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { requestLanguage } from '#platform/server/http/errors.ts';
import { sendPublicPage } from '#platform/server/http/public-page.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { readShortCode, type ShortFacts } from './short-code.ts';

type LinkRequest = FastifyRequest<{ Params: { code: string } }>;

export const linksPlugin: FastifyPluginAsync = async (app) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 4096 }, (_, body, done) =>
    done(null, body),
  );
  app.publicPages.push({ begins: '/s/', sendUnknown, sendFailed: sendUnknown });
  app.get('/s/:code', async (request: LinkRequest, reply) => {
    const link = await linkOf(app.db, request.params.code);
    if (!link) return sendUnknown(request, reply);
    if (link.position === LEAVE_POSITION) {
      return sendPublicPage(
        reply,
        await inTransaction(app.db, (tx) => pageOf(tx, request, link, 'ask')),
      );
    }
    const target = await findShortLinkTarget(app.db, link);
    if (!target) return sendUnknown(request, reply);
    countShortClick(request, link);
    return reply.header('cache-control', 'no-store, private').redirect(target, 302);
  });
  app.post('/s/:code', async (request: LinkRequest, reply) => {
    const link = await linkOf(app.db, request.params.code);
    if (link?.position !== LEAVE_POSITION) return sendUnknown(request, reply);
    const page = await inTransaction(app.db, async (tx) => {
      await leaveBy(tx, link, request.ip);
      return pageOf(tx, request, link, endsAll(link) ? 'doneAll' : 'done');
    });
    return sendPublicPage(reply, page);
  });
};

type Link = ShortFacts & { copy: SingleCopy | undefined };

/**
 * Returns the facts in a code and, if it names a single send, its copy; undefined for a code that this
 * installation did not issue.
 */
async function linkOf(db: Db, code: string): Promise<Link | undefined> {
  const facts = readShortCode(code);
  if (!facts?.single) return facts && { ...facts, copy: undefined };
  const { account: accountId, message: messageId, single: singleId } = facts;
  const copy = await readSingle(db, { accountId, messageId, singleId });
  return { ...facts, subscriber: copy?.subscriberId ?? 0, copy };
}

const endsAll = ({ copy }: Link) => copy?.permission === 'transactional';

/**
 * Unsubscribes the recipient from marketing SMS or, if the link is in a transactional SMS, from both kinds,
 * as STOP does. Without a subscriber, the number is suppressed.
 */
async function leaveBy(tx: Tx, link: Link, ip: string) {
  const { account, message, subscriber, copy } = link;
  const channels = endsAll(link) ? (['sms', 'tsms'] as const) : (['sms'] as const);
  for (const channel of channels) {
    const act = { channel, messageId: message };
    if (subscriber !== 0) {
      const people = { subscriberIds: [subscriber] };
      await unsubscribe(tx, account, people, { ...act, reason: 'link', ip });
    } else if (copy?.recipient) {
      await suppress(tx, account, [copy.recipient], { ...act, reason: 'unsubscribed' });
    }
  }
}

async function pageOf(
  tx: Tx,
  request: LinkRequest,
  facts: ShortFacts,
  step: 'ask' | 'done' | 'doneAll',
) {
  const account = await readAccount(tx, facts.account);
  const language = isLanguage(account.language) ? account.language : requestLanguage(request);
  const t = serverTexts('sms', language);
  const company = account.title;
  return {
    language,
    name: company,
    heading: t('leave.title'),
    text: [t(`leave.${step}`, { company })],
    ...(step === 'ask'
      ? { button: { action: `/s/${request.params.code}`, label: t('leave.button') } }
      : {}),
  };
}

function sendUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = requestLanguage(request);
  const t = serverTexts('sms', language);
  const heading = t('leave.unknown');
  return sendPublicPage(reply, { language, heading: heading, text: [] }, 404);
}
