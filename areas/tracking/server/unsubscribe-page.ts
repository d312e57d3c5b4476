// The page that unsubscribe links open. A GET shows a button and changes nothing, because scanners
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
import type { TokenPayload, TrackingTokens } from './token.ts';
import {
  resubscribeReader,
  unsubscribeReader,
  type PageReader,
  readReader,
} from './unsubscribe.ts';

type UnsubscribeRoute = { Params: { token: string } };
/** The data that the functions for the pages need. */
type UnsubscribeView = { reader: PageReader; t: ServerText; path: string };

type UnsubscribePage = Omit<PublicPage, 'language'>;

type PageHandler = (
  request: FastifyRequest<UnsubscribeRoute>,
  reply: FastifyReply,
  handle: (tx: Tx, payload: TokenPayload, view: UnsubscribeView) => Promise<UnsubscribePage>,
) => FastifyReply | Promise<FastifyReply>;

const BODY_LIMIT = 16 * 1024;

export function addUnsubscribePage(app: FastifyInstance, tokens: TrackingTokens): void {
  // Email clients send urlencoded or multipart forms, so bodies of all types are read as text.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_, body, callback) =>
    callback(null, body),
  );
  const handlePage: PageHandler = (request, reply, handle) => {
    const payload = tokens.read(request.params.token);
    if (!payload) return sendUnknown(request, reply);
    return inTransaction(app.db, async (tx) => {
      const reader = await readReader(tx, payload);
      if (!reader) return undefined;
      const t = serverTexts('tracking', reader.language);
      const path = `/u/${request.params.token}`;
      const view = { reader, t, path };
      const page = idlePage(view) ?? (await handle(tx, payload, view));
      const status = reader.kind === 'unknown' ? 410 : 200;
      return { status, language: reader.language, name: reader.company, ...page };
    }).then((page) =>
      page ? sendPublicPage(reply, page, page.status) : sendUnknown(request, reply),
    );
  };

  app.get<UnsubscribeRoute>('/u/:token', (request, reply) =>
    handlePage(request, reply, async (_tx, _payload, view) => statusPage(view)),
  );
  app.post<UnsubscribeRoute>('/u/:token', (request, reply) =>
    handlePage(request, reply, async (tx, payload, view) => {
      const isOneClick = /List-Unsubscribe(=|"\s+)One-Click/i.test(String(request.body ?? ''));
      await unsubscribeReader(tx, payload, view.reader, { isOneClick, ip: request.ip });
      return donePage(view);
    }),
  );
  app.post<UnsubscribeRoute>('/u/:token/resubscribe', (request, reply) =>
    handlePage(request, reply, async (tx, payload, view) => {
      const wording = view.t('again.consent', { company: view.reader.company });
      const isBack = await resubscribeReader(tx, payload, { wording, ip: request.ip });
      return isBack ? backPage(view) : refusedPage(view);
    }),
  );
  addPreferences(app, handlePage);
}

function addPreferences(app: FastifyInstance, handlePage: PageHandler): void {
  const shownTo = ({ reader, t, path }: UnsubscribeView) => ({ ...reader, t, path });
  app.get<UnsubscribeRoute>('/u/:token/preferences', (request, reply) =>
    handlePage(request, reply, async (tx, payload, view) => {
      const preferences = await readPreferences(tx, payload);
      return preferences ? preferencesPage(shownTo(view), preferences, false) : statusPage(view);
    }),
  );
  app.post<UnsubscribeRoute>('/u/:token/preferences', (request, reply) =>
    handlePage(request, reply, async (tx, payload, view) => {
      const wording = (channel: 'email' | 'sms') => channelLabel(view.t, channel);
      const choice = parseChoice(String(request.body ?? ''));
      await choosePreferences(tx, payload, choice, { ip: request.ip, wording });
      const preferences = await readPreferences(tx, payload);
      return preferences ? preferencesPage(shownTo(view), preferences, true) : statusPage(view);
    }),
  );
}

const statusPage = (view: UnsubscribeView) =>
  view.reader.isSubscribed ? questionPage(view) : donePage(view);

function questionPage({ reader, t, path }: UnsubscribeView): UnsubscribePage {
  return {
    heading: t('unsubscribe.heading'),
    text: [
      reader.email
        ? t('unsubscribe.text', { company: reader.company, email: isolateText(reader.email) })
        : t('unsubscribe.textWithoutEmail', { company: reader.company }),
    ],
    button: { action: path, label: t('unsubscribe.button') },
    link:
      reader.kind === 'known'
        ? { href: `${path}/preferences`, label: t('preferences.instead') }
        : undefined,
  };
}

function donePage({ reader, t, path }: UnsubscribeView): UnsubscribePage {
  const page = { heading: t('done.heading'), text: [t('done.text', { company: reader.company })] };
  // An address without a subscriber cannot be resubscribed here; only the account can add it.
  if (reader.kind !== 'known') return page;
  return {
    ...page,
    note: t('again.consent', { company: reader.company }),
    button: { action: `${path}/resubscribe`, label: t('again.button'), isQuiet: true },
  };
}

/** Returns the page if no action is possible, otherwise undefined. */
function idlePage({ reader, t }: UnsubscribeView): UnsubscribePage | undefined {
  const { company } = reader;
  if (reader.kind === 'test') {
    return { heading: t('test.heading'), text: [t('test.text', { company })] };
  }
  if (reader.kind === 'unknown') {
    return { heading: t('forgotten.heading'), text: [t('forgotten.text', { company })] };
  }
  return undefined;
}

const backPage = ({ reader, t }: UnsubscribeView) => ({
  heading: t('back.heading'),
  text: [t('back.text', { company: reader.company })],
});

/** A subscriber is refused only after a complaint or an erasure, which cannot be undone. */
const refusedPage = ({ reader: { kind, company }, t }: UnsubscribeView) =>
  kind === 'known'
    ? { heading: t('final.heading'), text: [t('final.text', { company })] }
    : { heading: t('refused.heading'), text: [t('refused.text', { company })] };

/** Isolates an address, so that it stays left-to-right even in a right-to-left sentence. */
const isolateText = (text: string) => `\u2068${text}\u2069`;

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

/** Sends a notice in the visitor's language because no other language is known. */
function sendNotice(
  problem: 'unknown' | 'failed',
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
): FastifyReply {
  const language = requestLanguage(request);
  const t = serverTexts('tracking', language);
  const page = { language, heading: t(`${problem}.heading`), text: [t(`${problem}.text`)] };
  return sendPublicPage(reply, page, status);
}
