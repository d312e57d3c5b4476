// The page that unsubscribe links open. A GET shows a button and changes nothing, since scanners
// follow links. A POST to the same address unsubscribes, without cookie or login; it comes from the
// button or from the email client itself (RFC 8058). Other POSTs resubscribe the reader and save
// preferences.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { requestLanguage } from '#platform/server/http/errors.ts';
import { type PublicPage, sendPublicPage } from '#platform/server/http/public-page.ts';
import { type ServerText, serverTexts } from '#platform/server/texts.ts';
import { channelLabel, parseChoice, preferencesPage } from './preferences-page.ts';
import { choosePreferences, readPreferences } from './preferences.ts';
import type { TokenFacts, Tokens } from './token.ts';
import { resubscribe, leave, type Reader, readReader } from './unsubscribe.ts';

type UnsubscribeRoute = { Params: { token: string } };
/** The data that the functions for the pages need. */
type UnsubscribeView = { reader: Reader; t: ServerText; path: string };

type Page = Omit<PublicPage, 'language'>;

type PageHandler = (
  request: FastifyRequest<UnsubscribeRoute>,
  reply: FastifyReply,
  act: (tx: Tx, facts: TokenFacts, shown: UnsubscribeView) => Promise<Page>,
) => FastifyReply | Promise<FastifyReply>;

const BODY_LIMIT = 16 * 1024;

export function addUnsubscribePage(app: FastifyInstance, tokens: Tokens): void {
  // Email clients send urlencoded or multipart forms, so bodies of all types are read as text.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_, body, done) =>
    done(null, body),
  );
  const answer: PageHandler = (request, reply, act) => {
    const facts = tokens.read(request.params.token);
    if (!facts) return sendUnknown(request, reply);
    return inTransaction(app.db, async (tx) => {
      const reader = await readReader(tx, facts);
      if (!reader) return undefined;
      const t = serverTexts('tracking', reader.language);
      const path = `/u/${request.params.token}`;
      const shown = { reader, t, path };
      const page = idlePage(shown) ?? (await act(tx, facts, shown));
      const status = reader.is === 'unknown' ? 410 : 200;
      return { status, language: reader.language, name: reader.company, ...page };
    }).then((page) =>
      page ? sendPublicPage(reply, page, page.status) : sendUnknown(request, reply),
    );
  };

  app.get<UnsubscribeRoute>('/u/:token', (request, reply) =>
    answer(request, reply, async (_tx, _facts, shown) => statusPage(shown)),
  );
  app.post<UnsubscribeRoute>('/u/:token', (request, reply) =>
    answer(request, reply, async (tx, facts, shown) => {
      const isOneClick = /List-Unsubscribe(=|"\s+)One-Click/i.test(String(request.body ?? ''));
      await leave(tx, facts, shown.reader, { isOneClick, ip: request.ip });
      return donePage(shown);
    }),
  );
  app.post<UnsubscribeRoute>('/u/:token/resubscribe', (request, reply) =>
    answer(request, reply, async (tx, facts, shown) => {
      const wording = shown.t('again.consent', { company: shown.reader.company });
      const isBack = await resubscribe(tx, facts, { wording, ip: request.ip });
      return isBack ? backPage(shown) : refusedPage(shown);
    }),
  );
  addPreferences(app, answer);
}

function addPreferences(app: FastifyInstance, answer: PageHandler): void {
  const shownTo = ({ reader, t, path }: UnsubscribeView) => ({ ...reader, t, path });
  app.get<UnsubscribeRoute>('/u/:token/preferences', (request, reply) =>
    answer(request, reply, async (tx, facts, shown) => {
      const preferences = await readPreferences(tx, facts);
      return preferences ? preferencesPage(shownTo(shown), preferences, false) : statusPage(shown);
    }),
  );
  app.post<UnsubscribeRoute>('/u/:token/preferences', (request, reply) =>
    answer(request, reply, async (tx, facts, shown) => {
      const wording = (channel: 'email' | 'sms') => channelLabel(shown.t, channel);
      const choice = parseChoice(String(request.body ?? ''));
      await choosePreferences(tx, facts, choice, { ip: request.ip, wording });
      const preferences = await readPreferences(tx, facts);
      return preferences ? preferencesPage(shownTo(shown), preferences, true) : statusPage(shown);
    }),
  );
}

const statusPage = (shown: UnsubscribeView) =>
  shown.reader.isSubscribed ? questionPage(shown) : donePage(shown);

function questionPage({ reader, t, path }: UnsubscribeView): Page {
  return {
    heading: t('unsubscribe.heading'),
    text: [
      reader.email
        ? t('unsubscribe.text', { company: reader.company, email: isolated(reader.email) })
        : t('unsubscribe.textWithoutEmail', { company: reader.company }),
    ],
    button: { action: path, label: t('unsubscribe.button') },
    link:
      reader.is === 'known'
        ? { href: `${path}/preferences`, label: t('preferences.instead') }
        : undefined,
  };
}

function donePage({ reader, t, path }: UnsubscribeView): Page {
  const page = { heading: t('done.heading'), text: [t('done.text', { company: reader.company })] };
  // An address without a subscriber cannot be resubscribed here; only the account can add it.
  if (reader.is !== 'known') return page;
  return {
    ...page,
    note: t('again.consent', { company: reader.company }),
    button: { action: `${path}/resubscribe`, label: t('again.button'), isQuiet: true },
  };
}

/** Returns the page if no action is possible, otherwise undefined. */
function idlePage({ reader, t }: UnsubscribeView): Page | undefined {
  const { company } = reader;
  if (reader.is === 'test') {
    return { heading: t('test.heading'), text: [t('test.text', { company })] };
  }
  if (reader.is === 'unknown') {
    return { heading: t('forgotten.heading'), text: [t('forgotten.text', { company })] };
  }
  return undefined;
}

const backPage = ({ reader, t }: UnsubscribeView) => ({
  heading: t('back.heading'),
  text: [t('back.text', { company: reader.company })],
});

const refusedPage = ({ reader, t }: UnsubscribeView) => ({
  heading: t('refused.heading'),
  text: [t('refused.text', { company: reader.company })],
});

/** Isolates an address, so that it stays left-to-right even in a right-to-left sentence. */
const isolated = (text: string) => `\u2068${text}\u2069`;

/** Sends a page for links that no message contains, and for links of deleted accounts. */
export function sendUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendNotice('unknown', request, reply, 404);
}

/** Sends a page after a temporary failure. */
export function sendFailed(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
): FastifyReply {
  return sendNotice('failed', request, reply, status);
}

/** Sends a notice in the visitor's language, since no other language is known. */
function sendNotice(
  what: 'unknown' | 'failed',
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
): FastifyReply {
  const language = requestLanguage(request);
  const t = serverTexts('tracking', language);
  const page = { language, heading: t(`${what}.heading`), text: [t(`${what}.text`)] };
  return sendPublicPage(reply, page, status);
}
