// The pages that the link of the confirmation email opens, in the account's brand.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isbot } from 'isbot';
import { ISO } from '#embed/forms/shared/document.ts';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { requestLanguage } from '#platform/server/http/errors.ts';
import { type PublicPage, sendPublicPage } from '#platform/server/http/public-page.ts';
import type { ServerText } from '#platform/server/texts.ts';
import { type FormBrand, readFormBrand } from './brand.ts';
import { confirmByLink, hashToken } from './confirmation.ts';
import { formTexts } from './form-texts.ts';
import { findForm, type FormRow } from './forms.sql.ts';
import { toInterfaceLanguage } from './settings.ts';
import * as store from './submissions.sql.ts';

/** A link that is opened this soon after the email may be opened by a scanner that runs scripts. */
const SCANNER_WINDOW_MS = 20_000;

/**
 * Adds the confirmation routes. A GET never confirms, because link scanners also open links. The
 * page that it returns has a script or a button that sends a POST, which confirms.
 */
export function addConfirmation(app: FastifyInstance): void {
  const parseToken = (token: string) => {
    const [account = '', secret = ''] = token.split('.');
    const accountId = decodeId('account', account);
    return accountId === undefined || secret.length < 20
      ? undefined
      : { accountId, hash: hashToken(secret) };
  };
  app.get<{ Params: { token: string } }>('/f/confirm/:token', async (request, reply) => {
    const token = parseToken(request.params.token);
    const confirmation =
      token && (await store.findConfirmation(app.db, token.accountId, token.hash));
    const form =
      confirmation && (await findForm(app.db, confirmation.account_id, confirmation.form_id));
    const createPage = await confirmPage(app, request, form);
    if (!confirmation || confirmation.expires_at < clock.now())
      return sendPublicPage(reply, createPage('expired'), 410);
    const isSoon = clock.now().getTime() - confirmation.mailed_at.getTime() < SCANNER_WINDOW_MS;
    const needsButton =
      isSoon ||
      isbot(request.headers['user-agent'] ?? '') ||
      form?.settings.confirm_by_button === true;
    return sendPublicPage(reply, {
      ...createPage('heading'),
      button: {
        action: `/f/confirm/${request.params.token}`,
        label: createPage.t('confirm.button'),
      },
      ...(needsButton ? {} : { script: 'document.forms[0].submit()' }),
    });
  });
  app.post<{ Params: { token: string } }>('/f/confirm/:token', async (request, reply) => {
    const token = parseToken(request.params.token);
    const isDone =
      token !== undefined &&
      (await inTransaction(app.db, (tx) =>
        confirmByLink(tx, token.accountId, token.hash, { ip: request.ip }),
      ));
    const confirmation =
      isDone && token && (await store.findConfirmation(app.db, token.accountId, token.hash));
    const form = confirmation
      ? await findForm(app.db, confirmation.account_id, confirmation.form_id)
      : undefined;
    const createPage = await confirmPage(app, request, form);
    return isDone
      ? sendPublicPage(reply, createPage('done'))
      : sendPublicPage(reply, createPage('expired'), 410);
  });
}

/**
 * Renders a page in the form's language and the account's brand; for a deleted form in the
 * visitor's language.
 */
async function confirmPage(
  app: FastifyInstance,
  request: FastifyRequest,
  form: FormRow | undefined,
) {
  const language = form?.document.language ?? requestLanguage(request);
  const t = formTexts(language);
  const brand = form && (await readFormBrand(app.db, form.account_id));
  const textKeys = { heading: 'text', done: 'doneText', expired: 'expiredText' } as const;
  const createPage = (outcome: keyof typeof textKeys): PublicPage => ({
    language: toInterfaceLanguage(language),
    lang: ISO[language],
    heading: t(`confirm.${outcome}`),
    text: [t(`confirm.${textKeys[outcome]}`)],
    // The page that asks for confirmation has a single action.
    ...(brand ? createBrandedPage(brand, outcome === 'heading' ? undefined : t) : {}),
  });
  return Object.assign(createPage, { t });
}

/** Creates the parts of a page in the account's brand; with `t`, also the link back to its site. */
export function createBrandedPage(
  brand: FormBrand,
  t: ServerText | undefined,
): Partial<PublicPage> {
  const { company, website } = brand;
  return {
    brand,
    ...(company && !brand.logo ? { name: company } : {}),
    ...(t && website ? { link: { href: website, label: t('confirm.shop', { company }) } } : {}),
  };
}
