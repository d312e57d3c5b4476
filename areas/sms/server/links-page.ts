// Serves the short links of SMS: redirects to their targets and shows the opt-out page. A GET
// request does not unsubscribe, because link scanners open every link.
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
import { readShortCode, type ShortCodeFields } from './short-code.ts';

type LinkRequest = FastifyRequest<{ Params: { code: string } }>;

export const linksPlugin: FastifyPluginAsync = async (app) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 4096 }, (_, body, done) =>
    done(null, body),
  );
  app.publicPages.push({ pathPrefix: '/s/', sendNotFound: sendUnknown, sendError: sendUnknown });
  app.get('/s/:code', async (request: LinkRequest, reply) => {
    const link = await readLink(app.db, request.params.code);
    if (!link) return sendUnknown(request, reply);
    if (link.position === LEAVE_POSITION) {
      return sendPublicPage(
        reply,
        await inTransaction(app.db, (tx) => renderPage(tx, request, link, 'ask')),
      );
    }
    const target = await findShortLinkTarget(app.db, link);
    if (!target) return sendUnknown(request, reply);
    countShortClick(request, link);
    return reply.header('cache-control', 'no-store, private').redirect(target, 302);
  });
  app.post('/s/:code', async (request: LinkRequest, reply) => {
    const link = await readLink(app.db, request.params.code);
    if (link?.position !== LEAVE_POSITION) return sendUnknown(request, reply);
    const page = await inTransaction(app.db, async (tx) => {
      await optOutByLink(tx, link, request.ip);
      return renderPage(tx, request, link, endsAll(link) ? 'doneAll' : 'done');
    });
    return sendPublicPage(reply, page);
  });
};

type ShortLink = ShortCodeFields & { copy: SingleCopy | undefined };

/**
 * Returns the data in a code and, if it names a single send, its copy. Returns undefined for a code
 * that this installation did not issue.
 */
async function readLink(db: Db, code: string): Promise<ShortLink | undefined> {
  const shortLink = readShortCode(code);
  if (!shortLink?.single) return shortLink && { ...shortLink, copy: undefined };
  const { account: accountId, message: messageId, single: singleId } = shortLink;
  const copy = await readSingle(db, { accountId, messageId, singleId });
  return { ...shortLink, subscriber: copy?.subscriberId ?? 0, copy };
}

const endsAll = ({ copy }: ShortLink) => copy?.permission === 'transactional';

/**
 * Unsubscribes the recipient from marketing SMS or, if the link is in a transactional SMS, from
 * both kinds, as STOP does. Without a subscriber, the number is suppressed.
 */
async function optOutByLink(tx: Tx, link: ShortLink, ip: string) {
  const { account, message, subscriber, copy } = link;
  const channels = endsAll(link) ? (['sms', 'tsms'] as const) : (['sms'] as const);
  for (const channel of channels) {
    const details = { channel, messageId: message };
    if (subscriber !== 0) {
      const selection = { subscriberIds: [subscriber] };
      await unsubscribe(tx, account, selection, { ...details, reason: 'link', ip });
    } else if (copy?.recipient) {
      await suppress(tx, account, [copy.recipient], { ...details, reason: 'unsubscribed' });
    }
  }
}

async function renderPage(
  tx: Tx,
  request: LinkRequest,
  link: ShortCodeFields,
  step: 'ask' | 'done' | 'doneAll',
) {
  const account = await readAccount(tx, link.account);
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
