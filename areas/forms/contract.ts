// Forms: embedded forms, popups and prize wheels.
import { z } from 'zod';
import { FIELD_KINDS, TEMPLATE_LANGUAGES, TYPES } from '#embed/forms/shared/document.ts';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  line,
  listResponse,
  listQuery,
} from '#platform/contract.ts';
import { senderAddress } from '#platform/email-address.ts';
import { CONTENT_KINDS } from '../content/shared.ts';
import { ItemPlacement, placeQuery } from '../folders/items-contract.ts';
import { Document } from './document-contract.ts';
import { PER_PAGE, MAX_STOCK, MAX_TITLE_LENGTH } from './shared.ts';
import { FormSettings, SettingsChange } from './settings-contract.ts';

export const FormSummary = z.object({
  id: Id,
  type: z.enum(TYPES),
  title: z.string(),
  is_active: z.boolean(),
  /** Views and sign-ups since the form was created. */
  views: z.number(),
  sign_ups: z.number(),
  settings: z.object({ id: Id, embed_hash: z.string(), layout: z.string() }),
  /** Data of the form's miniature: the first step and the wheel's slices. */
  thumbnail: z.object({
    document: Document,
    wheel: z.array(z.object({ label: z.string(), colour: z.string() })).nullable(),
  }),
  created: Instant,
  modified: Instant,
});
export type FormSummary = z.infer<typeof FormSummary>;

export const ListedForm = FormSummary.extend({ place: ItemPlacement });
export type ListedForm = z.infer<typeof ListedForm>;

export const Form = FormSummary.extend({
  document: Document,
  /** `document.styles`, completed by defaults. */
  styles: Document.shape.styles,
  settings: FormSettings.extend({ id: Id }),
  fields: z.array(
    z.object({
      field: z.string(),
      as: z.enum(FIELD_KINDS),
      required: z.boolean(),
      label: z.string(),
    }),
  ),
  groups: z.array(z.object({ id: Id, title: z.string() })),
  mandatory_tags: z.array(Id),
  revision: z.number(),
  /** Null if the form was never published. */
  published_version: z.number().nullable(),
  has_unpublished: z.boolean(),
  hosted_url: z.string(),
  /**
   * The value of `?sendloom_preview=` that makes a page with the embed script show the draft; valid
   * for at least a day.
   */
  preview_key: z.string(),
  /** The three sites that loaded the embed script last, newest first. */
  sites: z.array(z.object({ host: z.string(), seen: Instant })),
  embed_script: z.string(),
  /** The editor of the confirmation email; null for the default text. */
  mail_editor: z.enum(CONTENT_KINDS).nullable(),
  mail_revision: z.number(),
});
export type Form = z.infer<typeof Form>;

const formId = z.object({ id: idOf('form') });

const FormFigures = z.object({
  views: z.number(),
  /** Visitors who started to fill in the form. */
  starts: z.number(),
  closes: z.number(),
  sign_ups: z.number(),
});

/** Errors of a form that sites cannot show. */
const unfinishedErrors = {
  email_missing: 422,
  sender_missing: 422,
  field_unknown: 422,
  wheel_missing: 422,
};

export const calls = defineCalls({
  listForms: {
    method: 'GET',
    path: '/client-api/api/forms',
    caller: 'account',
    summary: 'List forms with statistics',
    query: listQuery(
      { sorts: ['created', 'title', 'modified'], perPage: PER_PAGE },
      { type: z.enum(TYPES).optional(), ...placeQuery },
    ),
    response: listResponse(ListedForm),
  },
  createForm: {
    method: 'POST',
    path: '/client-api/api/forms',
    caller: 'account',
    summary: 'Create a form from a layout',
    body: z.strictObject({
      type: z.enum(TYPES),
      title: line(MAX_TITLE_LENGTH, 1),
      layout: z.string().max(40).optional(),
      language: z.enum(TEMPLATE_LANGUAGES).optional(),
    }),
    response: dataResponse(Form),
    errors: { too_many_forms: 422, layout_unknown: 422 },
  },
  readForm: {
    method: 'GET',
    path: '/client-api/api/forms/{id}',
    caller: 'account',
    summary: 'Get a form with its draft',
    params: formId,
    response: dataResponse(Form),
  },
  updateForm: {
    method: 'PATCH',
    path: '/client-api/api/forms/{id}',
    caller: 'account',
    summary: 'Update a form',
    description:
      'Changes its title, draft and settings, and whether it is active. `is_active`, and changes of the confirmation email of a form that sites show, require the right to send.',
    params: formId,
    body: z.strictObject({
      title: line(MAX_TITLE_LENGTH, 1).optional(),
      /** 1 or true also publishes unpublished changes. */
      is_active: z.union([z.literal(0), z.literal(1), z.boolean()]).optional(),
      document: Document.optional(),
      settings: SettingsChange.optional(),
      /**
       * The revision of the edited draft, so that a newer one saved by another tab is not
       * overwritten.
       */
      revision: z.number().int().optional(),
    }),
    bodyLimit: 524_288,
    response: dataResponse(Form),
    errors: {
      stale_revision: 409,
      layout_unknown: 422,
      ...unfinishedErrors,
    },
  },
  publishForm: {
    method: 'POST',
    path: '/client-api/api/forms/{id}/publish',
    caller: 'account',
    requiredRight: 'send',
    summary: 'Activate the draft of a form',
    description:
      'Publishes the draft. Sites that show the form get it within a minute; an inactive form stays inactive.',
    params: formId,
    body: z.strictObject({}),
    response: dataResponse(Form),
    errors: unfinishedErrors,
  },
  setFormGroups: {
    method: 'POST',
    path: '/client-api/api/forms/{id}/tags',
    caller: 'account',
    summary: 'Set the groups of a form',
    params: formId,
    body: z.strictObject({
      tags_ids: z.array(idOf('group')).max(100),
      /** Groups that every subscriber joins; omitted: all groups. */
      mandatory_tags: z.array(idOf('group')).max(100).optional(),
    }),
    response: dataResponse(Form),
    errors: unfinishedErrors,
  },
  setDoubleOptIn: {
    method: 'PUT',
    path: '/client-api/api/forms/{id}/double_opt_in',
    caller: 'account',
    requiredRight: 'settings',
    audit: ['double_opt_in', 'from_email'],
    summary: 'Set double opt-in of a form',
    description:
      'Also sets the subject and sender of the confirmation email. Applies immediately to the draft and the live form.',
    params: formId,
    body: z.strictObject({
      double_opt_in: z.boolean(),
      subject: line(255).optional(),
      from_name: line(64).optional(),
      from_email: z.union([z.literal(''), senderAddress(254)]).optional(),
    }),
    response: dataResponse(Form),
    errors: unfinishedErrors,
  },
  copyForm: {
    method: 'POST',
    path: '/client-api/api/forms/{id}/copy',
    caller: 'account',
    summary: 'Duplicate a form',
    description: 'The copy is inactive.',
    params: formId,
    body: z.strictObject({ title: line(MAX_TITLE_LENGTH, 1) }),
    response: dataResponse(Form),
    errors: { too_many_forms: 422 },
  },
  deleteForm: {
    method: 'DELETE',
    path: '/client-api/api/forms/{id}',
    caller: 'account',
    summary: 'Delete a form',
    description: 'Sites stop showing the form, and its subscribers remain.',
    params: formId,
    response: SuccessResponse,
  },
  readFormChart: {
    method: 'GET',
    path: '/client-api/api/forms/{id}/chart',
    caller: 'account',
    summary: 'Get statistics of a form by day',
    description:
      "Returns views, starts, closes, sign-ups and confirmations of the last `days` days, including today, in the account's time zone.",
    params: formId,
    query: z.strictObject({ days: z.coerce.number().int().min(1).max(366).default(30) }),
    response: dataResponse(
      z.object({
        days: z.array(FormFigures.extend({ day: z.string(), confirmed: z.number() })),
        devices: z.array(FormFigures.extend({ device: z.string() })),
        /** At most twenty pages, most sign-ups first. */
        pages: z.array(FormFigures.extend({ page: z.string() })),
        totals: FormFigures.extend({
          confirmed: z.number(),
          trapped: z.number(),
          /**
           * Sign-ups without a confirmation email because the form has no sender or an unverified
           * one.
           */
          held: z.number(),
        }),
      }),
    ),
  },
  readFormCodes: {
    method: 'GET',
    path: '/client-api/api/forms/{id}/codes',
    caller: 'account',
    summary: 'Count remaining codes per wheel slice',
    params: formId,
    response: dataResponse(
      z.array(z.object({ slice: z.number(), left: z.number(), given: z.number() })),
    ),
  },
  addFormCodes: {
    method: 'POST',
    path: '/client-api/api/forms/{id}/codes',
    caller: 'account',
    summary: 'Add single-use codes to a wheel slice',
    params: formId,
    body: z.strictObject({
      /** The slice's `stock`, or its index if it has none. */
      slice: z.number().int().min(0).max(MAX_STOCK),
      codes: z.array(line(100, 1)).min(1).max(10_000),
    }),
    response: dataResponse(z.object({ added: z.number() })),
    errors: { too_many_codes: 422 },
  },
  exportSpins: {
    method: 'GET',
    path: '/client-api/api/forms/{id}/spins',
    caller: 'account',
    requiredRight: 'export',
    summary: 'Export the draws of a wheel',
    description: 'Returns a CSV file with the weight and number of every draw.',
    params: formId,
    transaction: 'own',
  },
});
