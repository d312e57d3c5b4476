// Saved templates of an account that new emails can start from, and errors of HTML imports.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  line,
} from '#platform/contract.ts';
import { Document, DOCUMENT_BODY, documentErrors } from './document-contract.ts';
import { MAX_TEMPLATE_TITLE } from './shared.ts';

export const SavedTemplate = z.object({
  id: Id,
  title: z.string(),
  modified: Instant,
  /**
   * URL of the rendered template as a page, for a sandboxed, scaled frame. The URL changes with the
   * template.
   */
  thumbnail_url: z.string(),
});
export type SavedTemplate = z.infer<typeof SavedTemplate>;

export const imageErrors = {
  file_missing: 422,
  image_unreadable: 422,
  image_format: 422,
  image_too_large: 422,
  image_too_many_pixels: 422,
  image_space_full: 422,
};

/** Errors of importing HTML from a file or a ZIP with images. */
export const htmlImportErrors = {
  ...imageErrors,
  content_too_large: 422,
  no_html_found: 422,
  html_file_too_large: 422,
  document_too_slow: 422,
  zip_damaged: 422,
  zip_encrypted: 422,
  zip_too_large: 422,
  zip_no_html: 422,
  zip_many_pictures: 422,
};

const title = line(MAX_TEMPLATE_TITLE, 1);
const params = z.object({ id: idOf('template') });

export const savedTemplateCalls = defineCalls({
  listSavedTemplates: {
    method: 'GET',
    path: '/client-api/api/saved_templates',
    caller: 'account',
    summary: 'List saved templates',
    description: 'Returns the most recently changed template first.',
    response: dataResponse(z.array(SavedTemplate)),
  },
  readSavedTemplate: {
    method: 'GET',
    path: '/client-api/api/saved_templates/{id}',
    caller: 'account',
    summary: 'Get a saved template with its document',
    params,
    response: dataResponse(SavedTemplate.extend({ document: Document })),
  },
  showSavedTemplate: {
    method: 'GET',
    path: '/client-api/api/saved_templates/{id}/html',
    caller: 'account',
    transaction: 'own',
    slots: 'preview',
    summary: 'Render a saved template as a page',
    params,
    query: z.object({ v: z.string().max(64).optional() }),
  },
  saveTemplate: {
    method: 'POST',
    path: '/client-api/api/saved_templates',
    caller: 'account',
    summary: 'Create a saved template from an email',
    body: z.strictObject({ title, document: Document }),
    response: dataResponse(SavedTemplate),
    errors: { ...documentErrors, too_many_templates: 422 },
    bodyLimit: DOCUMENT_BODY,
  },
  importTemplate: {
    method: 'POST',
    path: '/client-api/api/saved_templates/html_file',
    caller: 'account',
    slots: 'preview',
    summary: 'Import a template from another service',
    description:
      "Accepts multipart with one part `file`: an HTML page, or a ZIP with a page and its images. The other service's merge tags are converted.",
    response: dataResponse(SavedTemplate.extend({ missing: z.array(z.string()) })),
    errors: {
      ...documentErrors,
      ...htmlImportErrors,
      too_many_templates: 422,
    },
    acceptsIdempotencyKey: false,
    transaction: 'own',
  },
  renameSavedTemplate: {
    method: 'PATCH',
    path: '/client-api/api/saved_templates/{id}',
    caller: 'account',
    summary: 'Rename a saved template',
    params,
    body: z.strictObject({ title }),
    response: dataResponse(SavedTemplate),
  },
  deleteSavedTemplate: {
    method: 'DELETE',
    path: '/client-api/api/saved_templates/{id}',
    caller: 'account',
    summary: 'Delete a saved template',
    description: 'Emails created from it do not change.',
    params,
    response: SuccessResponse,
  },
});
