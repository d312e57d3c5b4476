// Routes for forms.
import type { FormDocument } from '#embed/forms/shared/document.ts';
import { composingRoutes, type SendingOptions } from '#areas/content/server/index.ts';
import { itemRoutes } from '#areas/folders/server/index.ts';
import { AppError } from '#platform/server/errors.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { calls } from '../contract.ts';
import { MAX_CODES } from '../shared.ts';
import { readChart } from './chart.ts';
import * as forms from './forms.ts';
import { confirmationEmails } from './confirmation-email.ts';
import { formItems, listWithPlaces } from './list.ts';
import { exportSpins } from './spins.ts';
import * as store from './submissions.sql.ts';

export const formRoutes = (options: SendingOptions): Route[] => [
  ...formRoutesWithoutItems,
  ...composingRoutes(confirmationEmails, options),
  ...itemRoutes(formItems),
];

const formRoutesWithoutItems: Route[] = createRoutes('forms', calls, {
  listForms: ({ tx, caller, query }) => listWithPlaces(tx, caller.accountId, query),
  createForm: ({ tx, caller, body }) => forms.createForm(tx, caller.accountId, body),
  readForm: ({ tx, caller, params }) => forms.readForm(tx, caller.accountId, params.id),
  updateForm: ({ tx, caller, params, body }) =>
    forms.updateForm(tx, caller.accountId, params.id, {
      ...body,
      document: body.document as FormDocument | undefined,
      settings: body.settings as forms.FormChange['settings'],
    }),
  publishForm: ({ tx, caller, params }) => forms.publishForm(tx, caller.accountId, params.id),
  setFormGroups: ({ tx, caller, params, body }) =>
    forms.setFormGroups(tx, caller.accountId, params.id, body),
  setDoubleOptIn: ({ tx, caller, params, body }) =>
    forms.setDoubleOptIn(tx, caller.accountId, params.id, body),
  copyForm: ({ tx, caller, params, body }) =>
    forms.copyForm(tx, caller.accountId, params.id, body.title),
  deleteForm: ({ tx, caller, params }) => forms.deleteForm(tx, caller.accountId, params.id),
  readFormChart: ({ tx, caller, params, query }) =>
    readChart(tx, caller.accountId, params.id, query.days),
  readFormCodes: async ({ tx, caller, params }) => {
    await forms.readForm(tx, caller.accountId, params.id);
    return store.countCodes(tx, caller.accountId, params.id);
  },
  addFormCodes: async ({ tx, caller: { accountId }, params: { id }, body }) => {
    await forms.readForm(tx, accountId, id);
    const codeCount = (await store.countCodes(tx, accountId, id)).reduce(
      (sum, code) => sum + code.left + code.given,
      0,
    );
    if (codeCount + body.codes.length > MAX_CODES)
      throw new AppError('too_many_codes', { values: { most: MAX_CODES } });
    return { added: await store.addCodes(tx, { accountId, formId: id, ...body }) };
  },
  exportSpins: async ({ db, caller, params, reply }) => {
    const texts = serverTexts('forms', caller.language);
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="spins.csv"')
      .send(await exportSpins(db, caller.accountId, params.id, texts));
  },
});
