// All templates, in the order in which the gallery shows them.
import type { EmailDocument } from '../../document.ts';
import { TEMPLATE_PURPOSES, type TemplatePurpose } from '../../shared.ts';
import { EVENTS } from './events.ts';
import { NEWS } from './news.ts';
import { SHOP } from './shop.ts';
import { STORE } from './store.ts';
import { TRANSACTIONAL } from './transactional.ts';
import type { TemplateTexts } from './template-texts.ts';

export type TemplateDefinition = {
  id: string;
  purpose: TemplatePurpose;
  create(texts: TemplateTexts): EmailDocument;
  /** Subject of emails that start from the template. */
  subject?(texts: TemplateTexts): string;
};

export const TEMPLATES: readonly TemplateDefinition[] = [
  ...TRANSACTIONAL,
  ...NEWS,
  ...STORE,
  ...SHOP,
  ...EVENTS,
].toSorted((a, b) => TEMPLATE_PURPOSES.indexOf(a.purpose) - TEMPLATE_PURPOSES.indexOf(b.purpose));
