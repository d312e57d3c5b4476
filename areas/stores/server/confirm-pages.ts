// Confirmation page of a store's newsletter. A GET never confirms, because link scanners request
// links too.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { decodeId } from '#platform/ids.ts';
import { type Language, parseAcceptLanguage } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { sendPublicPage } from '#platform/server/http/public-page.ts';
import { hashSecret } from '#platform/server/secrets.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { CONFIRM_PATH, confirmConsent } from './confirmations.ts';
import { findConfirmation } from './confirmations.sql.ts';
import { findStore } from './connections.sql.ts';

type TokenRequest = { Params: { token: string } };

export function addConfirmPages(app: FastifyInstance): void {
  const path = `${CONFIRM_PATH}:token`;
  app.get<TokenRequest>(path, async (request, reply) => {
    const token = tokenOf(request.params.token);
    const confirmation = token && (await findConfirmation(app.db, token.accountId, token.hash));
    if (!token || !confirmation || confirmation.expires_at < clock.now())
      return sendPublicPage(reply, pageOf(request, 'expired'), 410);
    const shop = await findStore(app.db, token.accountId, confirmation.store_id);
    return sendPublicPage(reply, {
      ...pageOf(request, 'ask', shop?.title),
      button: {
        action: `${CONFIRM_PATH}${request.params.token}`,
        label: textsOf(request)('confirm.button'),
      },
    });
  });
  app.post<TokenRequest>(path, async (request, reply) => {
    const token = tokenOf(request.params.token);
    const isDone =
      token !== undefined &&
      (await inTransaction(app.db, (tx) =>
        confirmConsent(tx, token.accountId, token.hash, { ip: request.ip }),
      ));
    return isDone
      ? sendPublicPage(reply, pageOf(request, 'done'))
      : sendPublicPage(reply, pageOf(request, 'expired'), 410);
  });
}

/** Parses a token in the form `<account>.<secret>`. */
function tokenOf(token: string): { accountId: number; hash: Buffer } | undefined {
  const [account = '', secret = ''] = token.split('.');
  const accountId = decodeId('account', account);
  if (accountId === undefined || secret.length < 20 || secret.length > 200) return undefined;
  return { accountId, hash: hashSecret(secret) };
}

const languageOf = ({ headers }: FastifyRequest): Language =>
  parseAcceptLanguage(headers['accept-language']) ?? 'eng';

const textsOf = (request: FastifyRequest) => serverTexts('stores', languageOf(request));

function pageOf(request: FastifyRequest, state: 'ask' | 'done' | 'expired', store?: string) {
  const t = textsOf(request);
  return {
    language: languageOf(request),
    ...(store && { name: store }),
    heading: t(`confirm.${state}.title`),
    text: [t(`confirm.${state}.text`)],
  };
}
