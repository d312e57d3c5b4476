// /f/…: the scripts and endpoints for customers' sites, the hosted page, and the confirmation link.
// All origins are allowed; no cookie is ever read or set.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { isbot } from 'isbot';
import {
  type FormType,
  type IndexEntry,
  ISO,
  type Snapshot,
} from '#embed/forms/shared/document.ts';
import { embeddedFontName, type WebFont } from '#embed/forms/shared/fonts.ts';
import type { ShownPrize } from '#embed/forms/shared/success.ts';
import { TRAP_NAMES } from '#embed/forms/shared/honeypot.ts';
import { listWebFontFaces } from '#areas/content/server/index.ts';
import {
  encodeAccountKey,
  decodeAccountKey,
  decodePublicId,
  encodePublicId,
} from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { AppError } from '#platform/server/errors.ts';
import { requestLanguage } from '#platform/server/http/errors.ts';
import { setPagePolicy } from '#platform/server/http/page-policy.ts';
import { sendPublicPage } from '#platform/server/http/public-page.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { toNetwork } from '#platform/server/limits/visitor-network.ts';
import { renderCaptchaPage } from './captcha-frame.ts';
import { createFormChallenge } from './challenge.ts';
import { addConfirmation, createBrandedPage } from './confirm-pages.ts';
import { readFormBrand } from './brand.ts';
import { formTexts } from './form-texts.ts';
import { listActiveForms, findForm, findVersion } from './forms.sql.ts';
import { renderHostedPage } from './hosted.ts';
import { findPreview } from './preview.ts';
import { recordSite } from './sites.ts';
import { recordCounts } from './figures.ts';
import { isWithinSchedule, OLD_VERSION_HOURS, type OpenForm, readOpenForm } from './open-form.ts';
import { getFormsSettings } from './settings.ts';
import { type SignUp, acceptSignUp } from './sign-up.ts';
import { createTestInboxLink } from './test-inbox.ts';
import { toIndexEntry } from './snapshot.ts';
import { createThrottle } from '#platform/server/limits/throttle.ts';
import type { Prize } from './wheel.ts';
import { cutText, parseForm, parseJson } from '#platform/server/clean-text.ts';

/** Maximum time until a change of a form is visible on sites. */
const INDEX_SECONDS = 60;
const BODY_LIMIT = 16 * 1024;
/** Maximum concurrent sign-up requests; more are refused before their bodies are read. */
const MAX_WAITING = 12_000;
/** Maximum length of a proof; captcha tokens are the longest ones. */
const MAX_PROOF = 4_096;
const MAX_VERSION = 2 ** 31 - 1;

type IdRequest = { Params: { id: string } };

export const formsPlugin: FastifyPluginAsync = async (app) => {
  app.addHook('onRequest', async (_, reply) => {
    reply.header('access-control-allow-origin', '*');
    reply.header('cross-origin-resource-policy', 'cross-origin');
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_, body, next) =>
    next(null, body),
  );
  addScripts(app);
  addPreview(app);
  addProofs(app);
  addPosts(app);
  addHosted(app);
  addConfirmation(app);
};

/** The scripts that the loader, forms, the hosted page and previews fetch. */
const SCRIPT_NAMES = [
  'form.js',
  'wheel.js',
  'fonts.js',
  'copy-button.js',
  'shop.js',
  'prove.js',
  'hosted.js',
  'preview.js',
];

type BuiltScript = { text: string; tag: string };

const computeTag = (text: string) =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, 20)}"`;

/** Returns a function that gets a built script by name; each is read once. */
function createScripts(): (name: string) => BuiltScript {
  const builtScripts = new Map<string, BuiltScript>();
  return (name) => {
    const cached = builtScripts.get(name);
    if (cached) return cached;
    let text: string;
    try {
      // The loader is not a module, so that pages can include it with a plain script tag.
      text = readFileSync(path.join(getFormsSettings().embedFolder, name), 'utf8').replace(
        /export\s*\{\s*\};?\s*$/,
        '',
      );
    } catch {
      throw new AppError('unavailable');
    }
    const script = { text, tag: computeTag(text) };
    builtScripts.set(name, script);
    return script;
  };
}

function sendScript(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, tag, isPiece }: BuiltScript & { isPiece: boolean },
) {
  reply
    .header(
      'cache-control',
      `public, max-age=${isPiece ? `300, stale-while-revalidate=${OLD_VERSION_HOURS * 3_600}` : INDEX_SECONDS}`,
    )
    .header('etag', tag)
    .header('vary', 'accept-encoding');
  if (request.headers['if-none-match'] === tag) return reply.status(304).send();
  return reply.type('text/javascript; charset=utf-8').send(text);
}

/** Adds the routes of the scripts, of an account's active forms, and of versions of forms. */
function addScripts(app: FastifyInstance): void {
  const getScript = createScripts();
  for (const name of SCRIPT_NAMES) {
    app.get(`/f/r/${name}`, async (request, reply) => {
      return sendScript(request, reply, { ...getScript(name), isPiece: true });
    });
  }
  app.get('/accounts_resources/universal.js', async (request, reply) => {
    const { text, tag } = getScript('loader.js');
    return sendScript(request, reply, { text: loader(text), tag, isPiece: true });
  });
  app.get<IdRequest>('/f/:id.js', async (request, reply) => {
    const index = await buildIndex(app, request.params.id);
    if (!index) return reply.status(404).type('text/javascript').send('');
    const { text } = getScript('loader.js');
    const script = loader(text, index.content);
    recordSite(app.db, index.accountId, request.headers.referer);
    return sendScript(request, reply, { text: script, tag: computeTag(script), isPiece: false });
  });
  app.get<IdRequest>('/f/:id.json', async (request, reply) => {
    const index = await buildIndex(app, request.params.id);
    if (!index) throw new AppError('not_found');
    recordSite(app.db, index.accountId, request.headers.referer);
    return reply.header('cache-control', `public, max-age=${INDEX_SECONDS}`).send(index.content);
  });
  app.get<{ Params: { id: string; version: string } }>(
    '/f/s/:id.:version.json',
    async (request, reply) => {
      const version = await readShownVersion(
        app,
        request.params.id,
        Number(request.params.version),
      );
      // A 404 would log an error in the console of pages that still embed a deleted or
      // inactive form.
      if (!version) return reply.header('cache-control', 'no-store').status(204).send();
      return reply
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(version.snapshot);
    },
  );
}

function addPreview(app: FastifyInstance): void {
  app.get<{ Params: { key: string } }>('/f/p/:key.json', async (request, reply) => {
    const preview = await findPreview(app.db, request.params.key);
    if (!preview) throw new AppError('not_found');
    return reply.header('cache-control', 'no-store').send(preview);
  });
}

/** Wraps the loader with the product's URL, so that copies on other hosts reach the server. */
function loader(text: string, index?: object): string {
  const { origin } = new URL(getFormsSettings().publicUrl);
  const [data, base] = [index, origin].map((value) =>
    (JSON.stringify(value) ?? 'undefined').replace(/</g, '\\u003c').replace(/\u2028|\u2029/g, ''),
  );
  return `(function(__INDEX__,__BASE__){${text}})(${data},${base})`;
}

async function buildIndex(
  app: FastifyInstance,
  id: string,
): Promise<{ accountId: number; content: { account: string; forms: IndexEntry[] } } | undefined> {
  const accountId = decodeAccountKey(id);
  if (accountId === undefined) return undefined;
  const rows = await listActiveForms(app.db, accountId);
  const forms = rows.map((row) =>
    toIndexEntry({
      id: row.id,
      publicId: encodePublicId('form', accountId, row.id),
      type: row.type as FormType,
      version: row.number,
      document: row.document,
      settings: row.settings,
    }),
  );
  // One key for both spellings of the account, so that pages that use both draw its forms once.
  return { accountId, content: { account: encodeAccountKey(accountId), forms } };
}

/** Reads a version of an active form; the published one if no valid number is given. */
async function readShownVersion(app: FastifyInstance, publicId: string, number?: number) {
  const id = decodePublicId('form', publicId);
  const form = id && (await findForm(app.db, id.accountId, id.id));
  if (!form?.is_active || form.published_version === null) return undefined;
  const versionNumber =
    number !== undefined && Number.isInteger(number) && number > 0 && number < 2 ** 31
      ? number
      : form.published_version;
  const version = await findVersion(app.db, form.account_id, form.id, versionNumber);
  return version && { form, version, snapshot: version.snapshot };
}

/** Rate limits by network, form and account: above what a crowd of visitors would produce. */
const ofNetwork = createThrottle({ capacity: 20, perSecond: 10 / 60 });
const ofForm = createThrottle({ capacity: 15_000, perSecond: 200 });
const ofAccount = createThrottle({ capacity: 30_000, perSecond: 500 });
/** A page reports once when it is closed: an office behind one IP address stays below this. */
const countsOfNetwork = createThrottle({ capacity: 100, perSecond: 1 });
let inFlight = 0;

function mayPost(request: FastifyRequest): boolean {
  const now = clock.now().getTime();
  const form = decodePublicId('form', (request.params as { id: string }).id);
  return (
    ofNetwork(toNetwork(request.ip), now) &&
    (!form || (ofForm(`${form.accountId} ${form.id}`, now) && ofAccount(form.accountId, now)))
  );
}

/** Adds the routes for the proof of work and for the page that frames an external captcha. */
function addProofs(app: FastifyInstance): void {
  app.get<IdRequest>('/f/:id/challenge', async (request, reply) => {
    if (!decodePublicId('form', request.params.id)) throw new AppError('not_found');
    return reply
      .header('cache-control', 'no-store')
      .send(await createFormChallenge(request.params.id));
  });
  app.get<IdRequest & { Querystring: { hl?: string } }>(
    '/f/captcha/:id',
    async (request, reply) => {
      const { captcha } = getFormsSettings();
      if (!captcha || !decodePublicId('form', request.params.id)) throw new AppError('not_found');
      const requestedLanguage = request.query.hl ?? '';
      const { html, policy } = renderCaptchaPage(
        captcha,
        /^[a-z]{2}$/.test(requestedLanguage) ? requestedLanguage : 'en',
      );
      setPagePolicy(reply, policy);
      return reply
        .header('cache-control', 'public, max-age=300')
        .type('text/html; charset=utf-8')
        .send(html);
    },
  );
}

function addPosts(app: FastifyInstance): void {
  app.post(
    '/f/count',
    {
      bodyLimit: BODY_LIMIT,
      onRequest: async (request, reply) => {
        if (!countsOfNetwork(toNetwork(request.ip), clock.now().getTime()))
          return reply.status(429).header('connection', 'close').send();
      },
    },
    async (request, reply) => {
      if (!isbot(request.headers['user-agent'] ?? '')) {
        // If the page reports no device, the user agent determines it.
        recordCounts(app.db, { device: readOrigin(request).device, ...parseBody(request.body) });
      }
      return reply.status(204).send();
    },
  );
  app.post<IdRequest>(
    '/f/:id',
    {
      bodyLimit: BODY_LIMIT,
      onRequest: async (request, reply) => {
        if (inFlight >= MAX_WAITING || !mayPost(request)) {
          return reply.status(429).header('retry-after', '2').header('connection', 'close').send();
        }
        inFlight++;
        // Decremented exactly once, whether the request succeeds, fails or is aborted.
        reply.raw.once('close', () => inFlight--);
      },
    },
    async (request, reply) => {
      const signUp = parseSignUp(parseBody(request.body));
      if (!signUp) return reply.status(422).send({ errors: { form: '' } });
      const result = await acceptSignUp(app.db, request.params.id, signUp, readOrigin(request));
      if (result.status === 'closed') return reply.status(410).send({});
      if (result.status === 'refused') return reply.status(422).send({ errors: result.errors });
      const { prize, note } = result;
      return reply.send({
        ...(prize ? { prize: toShownPrize(prize) } : {}),
        ...(note ? { note } : {}),
        ...(await createTestInboxLink(app.db, request, result)),
      });
    },
  );
}

/** Returns the part of a prize that its winner sees. */
const toShownPrize = ({ slice, label, code, is_losing }: Prize): ShownPrize => ({
  ...{ slice, label, code },
  ...(is_losing ? { lost: true } : {}),
});

function parseBody(body: unknown): Record<string, unknown> | undefined {
  try {
    const value: unknown = parseJson(String(body ?? ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function parseSignUp(body: Record<string, unknown> | undefined): SignUp | undefined {
  if (!body) return undefined;
  const text = (name: string, max: number) =>
    typeof body[name] === 'string' ? cutText(body[name], max) : '';
  const key = text('key', 64);
  const { data, version, ms } = body;
  if (key.length < 8 || typeof data !== 'object' || data === null) return undefined;
  return {
    key,
    version: parseVersion(version),
    data: data as Record<string, unknown>,
    proof: text('proof', MAX_PROOF),
    ms: typeof ms === 'number' ? ms : 0,
    trap: text('trap', 200),
    url: /^https?:\/\//.test(text('url', 2_000)) ? text('url', 2_000) : '',
  };
}

/** Parses the version that the visitor's page shows; invalid values select the published one. */
const parseVersion = (version: unknown): number =>
  typeof version === 'number' && Number.isInteger(version) && version > 0 && version < 2 ** 31
    ? version
    : MAX_VERSION;

function readOrigin(request: FastifyRequest): { ip: string; device: string } {
  const agent = request.headers['user-agent'] ?? '';
  const device = /mobi/i.test(agent) ? 'mobile' : /tablet|ipad/i.test(agent) ? 'tablet' : 'desktop';
  return { ip: request.ip, device };
}

/** Selects the proof or captcha for the hosted page's script. */
function selectProof({ id, captcha, language }: Snapshot): {
  challenge?: string;
  captcha?: string;
} {
  if (captcha === 'none') return {};
  return captcha === 'altcha'
    ? { challenge: `/f/${id}/challenge` }
    : { captcha: `/f/captcha/${id}?hl=${ISO[language]}` };
}

function addHosted(app: FastifyInstance): void {
  const show = async (
    request: FastifyRequest<IdRequest>,
    reply: FastifyReply,
    outcome?: Parameters<typeof renderHostedPage>[1]['outcome'],
  ) => {
    const version = await readShownVersion(app, request.params.id);
    const settings = version?.version.settings;
    if (!version || !settings || !isWithinSchedule(settings, clock.now()))
      return sendClosed(app, request, reply);
    const { html, policy } = renderHostedPage(version.snapshot, {
      title: version.form.title,
      action: `/f/${request.params.id}/view`,
      key: randomUUID(),
      fonts: await createFontRules(version.snapshot.fonts ?? []),
      query: request.query as Record<string, unknown>,
      ...selectProof(version.snapshot),
      outcome,
    });
    setPagePolicy(reply, policy);
    return reply
      .status(outcome && 'errors' in outcome ? 422 : 200)
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(html);
  };
  app.get<IdRequest>('/f/:id/view', async (request, reply) => {
    countView(app, request);
    return show(request, reply);
  });
  app.post<IdRequest>('/f/:id/view', { bodyLimit: BODY_LIMIT }, async (request, reply) => {
    if (!mayPost(request)) throw new AppError('too_many_requests');
    const id = decodePublicId('form', request.params.id);
    const fields = parseForm(String(request.body ?? ''));
    const version = Number(fields.get('__version'));
    const openForm =
      id && (await readOpenForm({ db: app.db, ...id, version: parseVersion(version) }));
    if (!openForm) return sendClosed(app, request, reply);
    const { snapshot } = openForm.shownVersion;
    const signUp = parsePlainSignUp(openForm, fields);
    const result = await acceptSignUp(app.db, request.params.id, signUp, {
      ...readOrigin(request),
      isHosted: true,
    });
    if (result.status === 'closed') return sendClosed(app, request, reply);
    if (result.status === 'refused') {
      return show(request, reply, { errors: result.errors, answers: signUp.data });
    }
    // The prize must be shown before any redirect.
    if (snapshot.redirect && !snapshot.wheel && !result.prize && !result.note)
      return reply.redirect(snapshot.redirect, 303);
    const prize = result.prize && toShownPrize(result.prize);
    const { inbox } = await createTestInboxLink(app.db, request, result);
    return show(request, reply, { sent: true, prize, note: result.note, inbox });
  });
}

/** Counts the view on the server, because the page may run no script. */
function countView(app: FastifyInstance, request: FastifyRequest<IdRequest>): void {
  const { headers, method, params } = request;
  const isAhead = /prefetch|prerender/.test(
    `${String(headers['sec-purpose'] ?? '')} ${String(headers.purpose ?? '')}`,
  );
  if (method !== 'GET' || isAhead || isbot(headers['user-agent'] ?? '')) return;
  recordCounts(app.db, {
    device: readOrigin(request).device,
    forms: { [params.id]: { view: 1 } },
    url: buildHostedUrl(params.id),
  });
}

const buildHostedUrl = (id: string) => `${getFormsSettings().publicUrl}/f/${id}/view`;

/** Creates the font rules of the hosted page, which links font files directly, without a script. */
async function createFontRules(fonts: readonly WebFont[]): Promise<string> {
  const sheets = await Promise.all(
    fonts.map(async ({ name, slug, weights }) => {
      const faces = await listWebFontFaces(slug);
      return faces
        .filter(({ weight }) => weights.includes(weight))
        .map(
          ({ weight, range, file }) =>
            `@font-face{font-family:'${embeddedFontName(name)}';font-weight:${weight};font-display:swap;src:url(/i/fonts/${slug}/${file}) format('woff2')${range ? `;unicode-range:${range}` : ''}}`,
        );
    }),
  );
  return sheets.flat().join('');
}

/** Parses the fields that the plain form posts. */
function parsePlainSignUp(
  { shownVersion: { number, snapshot } }: OpenForm,
  fields: URLSearchParams,
): SignUp {
  const data: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const { key, as } of snapshot.rules)
    data[key] =
      as === 'choices' || as === 'interests' ? fields.getAll(key) : (fields.get(key) ?? '');
  const key = fields.get('__key') ?? '';
  return {
    key: /^[\w-]{8,64}$/.test(key) ? key : randomUUID(),
    version: number,
    data,
    proof: (fields.get('__proof') ?? '').slice(0, MAX_PROOF),
    ms: 60_000,
    trap: TRAP_NAMES.map((name) => fields.get(name) ?? '').join(''),
    url: buildHostedUrl(snapshot.id),
  };
}

/** Sends the page of a closed form, in the account's brand, with the link back to its site. */
async function sendClosed(
  app: FastifyInstance,
  request: FastifyRequest<IdRequest>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const language = requestLanguage(request);
  const t = serverTexts('forms', language);
  const id = decodePublicId('form', request.params.id);
  const isKnown = id && (await findForm(app.db, id.accountId, id.id));
  const brand = isKnown && (await readFormBrand(app.db, id.accountId));
  return sendPublicPage(
    reply,
    {
      language,
      heading: t('gone.heading'),
      text: [t('gone.text')],
      ...(brand ? createBrandedPage(brand, formTexts(language)) : {}),
    },
    410,
  );
}
