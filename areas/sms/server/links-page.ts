// What stands behind the links of a text: where they lead, and the page that leaves. Asking never writes:
// programs that look ahead at links would leave for people.
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { readAccount } from '#areas/accounts/server/index.ts';
import { LEAVE_POSITION } from '#areas/content/server/index.ts';
import { unsubscribe } from '#areas/subscribers/server/index.ts';
import { countShortClick, shortLinkTarget } from '#areas/tracking/server/index.ts';
import { isLanguage } from '#platform/languages.ts';
import { inTransaction, type Tx } from '#platform/server/database.ts';
import { languageOf } from '#platform/server/http/errors.ts';
import { sendPublicPage } from '#platform/server/http/public-page.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { readShortCode, type ShortFacts } from './short-code.ts';

type Asked = FastifyRequest<{ Params: { code: string } }>;

export const linksPlugin: FastifyPluginAsync = async (app) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 4096 }, (_, body, done) =>
    done(null, body),
  );
  app.publicPages.push({ begins: '/s/', sendUnknown, sendFailed: sendUnknown });
  app.get('/s/:code', async (request: Asked, reply) => {
    const facts = readShortCode(request.params.code);
    if (!facts) return sendUnknown(request, reply);
    if (facts.position === LEAVE_POSITION) {
      return inTransaction(app.db, (tx) => sendPage(tx, request, reply, facts, 'ask'));
    }
    const target = await shortLinkTarget(app.db, facts);
    if (!target) return sendUnknown(request, reply);
    countShortClick(request, facts);
    return reply.header('cache-control', 'no-store, private').redirect(target, 302);
  });
  app.post('/s/:code', async (request: Asked, reply) => {
    const facts = readShortCode(request.params.code);
    if (facts?.position !== LEAVE_POSITION) return sendUnknown(request, reply);
    return inTransaction(app.db, async (tx) => {
      const people = { subscriberIds: [facts.subscriber] };
      await unsubscribe(tx, facts.account, people, {
        channel: 'sms',
        reason: 'link',
        messageId: facts.message,
        ip: request.ip,
      });
      return sendPage(tx, request, reply, facts, 'done');
    });
  });
};

async function sendPage(
  tx: Tx,
  request: Asked,
  reply: FastifyReply,
  facts: ShortFacts,
  step: 'ask' | 'done',
): Promise<FastifyReply> {
  const account = await readAccount(tx, facts.account);
  const language = isLanguage(account.language) ? account.language : languageOf(request);
  const t = serverTexts('sms', language);
  const company = account.title;
  return sendPublicPage(reply, {
    language,
    name: company,
    heading: t('leave.title'),
    text: [t(`leave.${step}`, { company })],
    ...(step === 'ask'
      ? { button: { action: `/s/${request.params.code}`, label: t('leave.button') } }
      : {}),
  });
}

function sendUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = languageOf(request);
  const t = serverTexts('sms', language);
  const words = t('leave.unknown');
  return sendPublicPage(reply, { language, heading: words, text: [] }, 404);
}
