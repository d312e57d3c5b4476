// The endpoints of forms.
import type { FormDocument } from '#embed/forms/shared/document.ts';
import { composingRoutes, type SendingOptions } from '#areas/content/server/index.ts';
import { itemRoutes } from '#areas/folders/server/index.ts';
import { AppError } from '#platform/server/errors.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { calls } from '../contract.ts';
import { MAX_CODES } from '../shared.ts';
import { readChart } from './chart.ts';
import * as forms from './forms.ts';
import { confirmationEmails } from './confirmation-email.ts';
import { formItems, listWithPlaces } from './listed.ts';
import { exportSpins } from './spins.ts';
import * as store from './submissions.sql.ts';

export const formRoutes = (options: SendingOptions): Route[] => [
  ...own,
  ...composingRoutes(confirmationEmails, options),
  ...itemRoutes(formItems),
];

const own: Route[] = serve('forms', calls, {
  listForms: ({ tx, who, query }) => listWithPlaces(tx, who.accountId, query),
  createForm: ({ tx, who, body }) => forms.createForm(tx, who.accountId, body),
  readForm: ({ tx, who, params }) => forms.readForm(tx, who.accountId, params.id),
  updateForm: ({ tx, who, params, body }) =>
    forms.updateForm(tx, who.accountId, params.id, {
      ...body,
      document: body.document as FormDocument | undefined,
      settings: body.settings as forms.FormChange['settings'],
    }),
  publishForm: ({ tx, who, params }) => forms.publishForm(tx, who.accountId, params.id),
  setFormGroups: ({ tx, who, params, body }) =>
    forms.setFormGroups(tx, who.accountId, params.id, body),
  setDoubleOptIn: ({ tx, who, params, body }) =>
    forms.setDoubleOptIn(tx, who.accountId, params.id, body),
  copyForm: ({ tx, who, params, body }) => forms.copyForm(tx, who.accountId, params.id, body.title),
  deleteForm: ({ tx, who, params }) => forms.deleteForm(tx, who.accountId, params.id),
  readFormChart: ({ tx, who, params, query }) =>
    readChart(tx, who.accountId, params.id, query.days),
  readFormCodes: async ({ tx, who, params }) => {
    await forms.readForm(tx, who.accountId, params.id);
    return store.countCodes(tx, who.accountId, params.id);
  },
  addFormCodes: async ({ tx, who: { accountId }, params: { id }, body }) => {
    await forms.readForm(tx, accountId, id);
    const had = (await store.countCodes(tx, accountId, id)).reduce(
      (sum, code) => sum + code.left + code.given,
      0,
    );
    if (had + body.codes.length > MAX_CODES)
      throw new AppError('too_many_codes', { values: { most: MAX_CODES } });
    return { added: await store.addCodes(tx, { accountId, formId: id, ...body }) };
  },
  exportSpins: async ({ db, who, params, reply }) => {
    const texts = serverTexts('forms', who.language);
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="spins.csv"')
      .send(await exportSpins(db, who.accountId, params.id, texts));
  },
});
