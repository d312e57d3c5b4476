// Calls about content that is independent of a single email: rendering, import of HTML, templates,
// saved sections, the brand and the image library. The imported contracts add calls for alternative
// text, coupons, saved templates, stock images, test recipients and UTM parameters. document.ts
// describes documents.
import { z } from 'zod';
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
import { LANGUAGES } from '#platform/languages.ts';
import { altTextCalls } from './alt-text-contract.ts';
import { couponCalls } from './coupons-contract.ts';
import { NETWORKS } from './document.ts';
import { Document, DOCUMENT_BODY, documentErrors, SectionNode } from './document-contract.ts';
import { FONTS } from './fonts.ts';
import {
  MAX_BRAND_COLORS,
  MAX_HTML_IMPORT_URL,
  IMAGE_FORMATS,
  MAX_IMAGE_PIXELS_SIDE,
  IMAGES_PER_PAGE,
  MAX_PREHEADER,
  MAX_SUBJECT,
  MAX_SECTION_TITLE,
  TEMPLATE_PURPOSES,
} from './shared.ts';
import { stockCalls } from './stock-contract.ts';
import { htmlImportErrors, imageErrors, savedTemplateCalls } from './saved-templates-contract.ts';
import { testRecipientCalls } from './test-recipients-contract.ts';
import { utmCalls } from './utm-contract.ts';

export type { CouponPool } from './coupons-contract.ts';

export const ContentFinding = z.object({
  code: z.string(),
  severity: z.enum(['error', 'warning', 'tip']),
  part: z.string(),
  line: z.number().optional(),
  column: z.number().optional(),
  /** Id of the block or section. */
  node: z.string().optional(),
  values: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});

export const RenderedEmail = z.object({
  subject: z.string(),
  preheader: z.string(),
  /** Null, like `text`, if the document cannot be rendered. */
  html: z.string().nullable(),
  text: z.string().nullable(),
  /** Size of the HTML in bytes as sent, to compare with CLIP_BYTES. */
  size: z.number(),
  findings: z.array(ContentFinding),
});

export const Template = z.object({
  id: z.string(),
  purpose: z.enum(TEMPLATE_PURPOSES),
  title: z.string(),
  description: z.string(),
  /**
   * URL of the rendered template as a page, for a sandboxed, scaled frame; the page may be cached
   * for a long time.
   */
  thumbnail_url: z.string(),
});

const Color = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i)
  .transform((value) => value.toLowerCase() as `#${string}`);
const ColorOrNull = Color.nullable();
/** A name in fonts.ts. */
const FontName = z.enum(FONTS.map(({ name }) => name));
const ImageField = z.object({
  src: z.string().max(2000),
  alt: z.string().max(255),
  width: z.number().min(1).max(10_000).nullable(),
  height: z.number().min(1).max(10_000).nullable(),
});

/** Defaults for templates and new blocks; a value is null if the account has not chosen one. */
export const Brand = z.object({
  colors: z.array(Color).max(MAX_BRAND_COLORS),
  background: ColorOrNull,
  content_background: ColorOrNull,
  dark_background: ColorOrNull,
  dark_content_background: ColorOrNull,
  text_color: ColorOrNull,
  heading_color: ColorOrNull,
  link_color: ColorOrNull,
  button_background: ColorOrNull,
  button_color: ColorOrNull,
  font: FontName.nullable(),
  heading_font: FontName.nullable(),
  logo: ImageField.nullable(),
  website: z.union([z.literal(''), z.url({ protocol: /^https?$/ }).max(500)]),
  social: z.array(z.object({ network: z.enum(NETWORKS), href: z.string().max(500) })).max(20),
});
export type Brand = z.infer<typeof Brand>;

export const SavedSection = z.object({
  id: Id,
  title: z.string(),
  section: SectionNode,
  created: Instant,
  modified: Instant,
});
/** List entry without the section, which may be a megabyte and is fetched separately. */
const ListedSection = SavedSection.omit({ section: true });

export const Image = z.object({
  id: Id,
  name: z.string(),
  /** Path of the public URL, which has an unguessable key and is cached for a year. */
  src: z.string(),
  /** At most 400 pixels wide, for the library. */
  thumbnail_src: z.string(),
  format: z.enum(IMAGE_FORMATS),
  is_animated: z.boolean(),
  width: z.number(),
  height: z.number(),
  bytes: z.number(),
  created: Instant,
  modified: Instant,
});
export type Image = z.infer<typeof Image>;

/** A use of an image, for example in a draft, a saved section or the brand. */
export const ImageUse = z.object({
  kind: z.string(),
  id: z.string().nullable(),
  title: z.string(),
});

/** Imported custom HTML. */
export const ImportedHtml = z.object({
  html: z.string(),
  /** Number of images added to the library. */
  images: z.number(),
  /** References that could not be imported. */
  missing: z.array(z.string()),
});

const sectionParams = z.object({ id: idOf('section') });
const imageParams = z.object({ id: idOf('image') });
const side = z.number().int().min(0).max(MAX_IMAGE_PIXELS_SIDE);

export const calls = defineCalls({
  ...altTextCalls,
  ...couponCalls,
  ...savedTemplateCalls,
  ...stockCalls(Image),
  ...testRecipientCalls,
  ...utmCalls,
  renderDocument: {
    method: 'POST',
    path: '/client-api/api/content/preview',
    caller: 'account',
    requiredRight: 'read',
    transaction: 'own',
    slots: 'preview',
    summary: 'Render a document for a subscriber',
    description: 'The response includes the findings of the checks.',
    body: z.strictObject({
      document: Document,
      subject: line(MAX_SUBJECT).optional(),
      preheader: line(MAX_PREHEADER).optional(),
      subscriber: idOf('subscriber').optional(),
      language: z.enum(LANGUAGES).optional(),
    }),
    response: dataResponse(RenderedEmail),
    errors: documentErrors,
    bodyLimit: DOCUMENT_BODY,
  },
  inlineCss: {
    method: 'POST',
    path: '/client-api/api/content/inline_css',
    caller: 'account',
    audit: 'none',
    transaction: 'own',
    slots: 'preview',
    summary: 'Render HTML with inlined style sheets',
    description: 'Media queries remain in a style sheet.',
    body: z.strictObject({ html: z.string() }),
    response: dataResponse(z.object({ html: z.string() })),
    errors: {
      css_too_large: 422,
      content_too_large: 422,
      nested_too_deep: 422,
      document_too_slow: 422,
    },
    bodyLimit: DOCUMENT_BODY,
  },
  importHtmlFile: {
    method: 'POST',
    path: '/client-api/api/content/html_file',
    caller: 'account',
    audit: 'none',
    slots: 'preview',
    summary: 'Import HTML from a file',
    description:
      'Accepts multipart with one part `file`: an HTML page, or a ZIP with a page and its images. Images are added to the library; nothing else is saved.',
    response: dataResponse(ImportedHtml),
    errors: htmlImportErrors,
    acceptsIdempotencyKey: false,
    transaction: 'own',
  },
  importHtmlAddress: {
    method: 'POST',
    path: '/client-api/api/content/html_address',
    caller: 'account',
    slots: 'preview',
    summary: 'Import HTML from a public address',
    description:
      'Style sheets are embedded, addresses are made absolute, and scripts are removed. Nothing is saved.',
    body: z.strictObject({
      address: z.url({ protocol: /^https?$/ }).max(MAX_HTML_IMPORT_URL),
    }),
    response: dataResponse(ImportedHtml),
    errors: {
      content_too_large: 422,
      page_unreachable: 422,
      page_no_html: 422,
      document_too_slow: 422,
    },
    transaction: 'own',
  },
  listTemplates: {
    method: 'GET',
    path: '/client-api/api/templates',
    caller: 'account',
    summary: 'List templates by purpose',
    description: "Titles are in the user's language, and emails are in the account's language.",
    response: dataResponse(z.array(Template)),
  },
  readTemplate: {
    method: 'GET',
    path: '/client-api/api/templates/{id}',
    caller: 'account',
    summary: 'Get a template with its document',
    description: "Returns the template in the account's colors and with its logo.",
    params: z.object({ id: z.string().regex(/^[a-z0-9-]{1,40}$/) }),
    response: dataResponse(Template.extend({ document: Document, subject: z.string() })),
  },
  showTemplate: {
    method: 'GET',
    path: '/client-api/api/templates/{id}/html',
    caller: 'account',
    transaction: 'own',
    slots: 'preview',
    summary: 'Render a template as a page',
    params: z.object({ id: z.string().regex(/^[a-z0-9-]{1,40}$/) }),
    query: z.object({ v: z.string().max(64).optional() }),
  },
  listSections: {
    method: 'GET',
    path: '/client-api/api/saved_sections',
    caller: 'account',
    summary: 'List saved sections',
    description: 'By default, returns the most recently changed section first.',
    query: listQuery({ sorts: ['modified', 'title', 'created'], perPage: 50, max: 100 }),
    response: listResponse(ListedSection),
  },
  readSection: {
    method: 'GET',
    path: '/client-api/api/saved_sections/{id}',
    caller: 'account',
    summary: 'Get a saved section',
    params: sectionParams,
    response: dataResponse(SavedSection),
  },
  createSection: {
    method: 'POST',
    path: '/client-api/api/saved_sections',
    caller: 'account',
    summary: 'Create a saved section',
    body: z.strictObject({ title: line(MAX_SECTION_TITLE, 1), section: SectionNode }),
    response: dataResponse(SavedSection),
    errors: { ...documentErrors, too_many_sections: 422 },
    bodyLimit: DOCUMENT_BODY,
  },
  updateSection: {
    method: 'PATCH',
    path: '/client-api/api/saved_sections/{id}',
    caller: 'account',
    summary: 'Update a saved section',
    description: 'Emails that contain the section do not change.',
    params: sectionParams,
    body: z.strictObject({
      title: line(MAX_SECTION_TITLE, 1).optional(),
      section: SectionNode.optional(),
    }),
    response: dataResponse(SavedSection),
    errors: documentErrors,
    bodyLimit: DOCUMENT_BODY,
  },
  deleteSection: {
    method: 'DELETE',
    path: '/client-api/api/saved_sections/{id}',
    caller: 'account',
    summary: 'Delete a saved section',
    description: 'Emails that contain the section do not change.',
    params: sectionParams,
    response: SuccessResponse,
  },
  readBrand: {
    method: 'GET',
    path: '/client-api/api/brand',
    caller: 'account',
    summary: 'Get the brand',
    description: 'Returns the colors, fonts, logo and links of the business.',
    response: dataResponse(Brand),
  },
  updateBrand: {
    method: 'PATCH',
    path: '/client-api/api/brand',
    caller: 'account',
    summary: 'Update the brand',
    description: 'Omitted fields keep their values.',
    body: z.strictObject(Brand.shape).partial(),
    response: dataResponse(Brand),
  },
  listImages: {
    method: 'GET',
    path: '/client-api/api/images',
    caller: 'account',
    summary: 'List images of the library',
    query: listQuery({
      sorts: ['created', 'title', 'modified', 'size'],
      perPage: IMAGES_PER_PAGE,
      max: 100,
    }),
    response: listResponse(Image),
  },
  uploadImage: {
    method: 'POST',
    path: '/client-api/api/images',
    caller: 'account',
    summary: 'Upload an image',
    description:
      'Accepts multipart with one part `file`: PNG, JPEG, GIF or WebP. Images are re-encoded, and identical images are stored once.',
    response: dataResponse(Image),
    errors: imageErrors,
    acceptsIdempotencyKey: false,
    transaction: 'own',
  },
  importVideoThumbnail: {
    method: 'POST',
    path: '/client-api/api/images/video_thumbnail',
    caller: 'account',
    summary: 'Import the thumbnail of a video',
    description:
      'Accepts addresses of YouTube and Vimeo. The image is added to the library; `title` is the name of the video, or empty.',
    body: z.strictObject({ address: z.url({ protocol: /^https?$/ }).max(MAX_HTML_IMPORT_URL) }),
    response: dataResponse(z.object({ image: Image, title: z.string() })),
    errors: { ...imageErrors, video_unknown: 422, video_unavailable: 422 },
    transaction: 'own',
  },
  renameImage: {
    method: 'PATCH',
    path: '/client-api/api/images/{id}',
    caller: 'account',
    summary: 'Rename an image',
    description: 'The address of the image does not change.',
    params: imageParams,
    body: z.strictObject({ name: line(255, 1) }),
    response: dataResponse(Image),
  },
  cropImage: {
    method: 'POST',
    path: '/client-api/api/images/{id}/crop',
    caller: 'account',
    summary: 'Create a cropped copy of an image',
    description: 'Coordinates are in pixels of the original; the copy may be scaled down.',
    params: imageParams,
    body: z.strictObject({
      left: side,
      top: side,
      width: side.min(1),
      height: side.min(1),
      /** Width of the result in pixels; the height keeps the ratio. */
      resize_to: side.min(1).optional(),
      name: line(255, 1).optional(),
    }),
    response: dataResponse(Image),
    errors: { ...imageErrors, image_crop_outside: 422 },
    transaction: 'own',
  },
  editImage: {
    method: 'POST',
    path: '/client-api/api/images/{id}/edit',
    caller: 'account',
    summary: 'Create an edited copy of an image',
    description:
      '`rotate` is in degrees clockwise, `brightness` in percent of the original, and `radius` (of rounded corners) in percent of the shorter side. Animated images cannot be edited.',
    params: imageParams,
    body: z.strictObject({
      rotate: z.literal([0, 90, 180, 270]).default(0),
      brightness: z.number().int().min(25).max(200).default(100),
      radius: z.number().int().min(0).max(50).default(0),
      name: line(255, 1).optional(),
    }),
    response: dataResponse(Image),
    errors: { ...imageErrors, image_animated: 422 },
    transaction: 'own',
  },
  readImageUses: {
    method: 'GET',
    path: '/client-api/api/images/{id}/uses',
    caller: 'account',
    summary: 'List where an image is used',
    params: imageParams,
    response: dataResponse(z.array(ImageUse)),
  },
  deleteImage: {
    method: 'DELETE',
    path: '/client-api/api/images/{id}',
    caller: 'account',
    summary: 'Delete an image from the library',
    description: 'Deleting an image in use requires `force`. Sent emails still show the image.',
    params: imageParams,
    body: z.strictObject({ force: z.boolean().optional() }),
    response: SuccessResponse,
    errors: { image_in_use: 409 },
  },
});
