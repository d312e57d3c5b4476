// The design of a form: its blocks, steps and styles, as drawn by the builder and shown on sites.
import { z } from 'zod';
import {
  FIELD_KINDS,
  FORM_LANGUAGES,
  LAYOUTS,
  LIMITS,
  STYLES,
} from '#embed/forms/shared/document.ts';
import { line, text } from '#platform/contract.ts';

export const Color = z.string().regex(/^#[0-9a-f]{3,8}$/i);
export const WebAddress = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s"'<>]+$/i);
const BlockText = text(LIMITS.text);
const Label = text(LIMITS.label);
const base = {
  id: z
    .string()
    .min(1)
    .max(40)
    .regex(/^[\w-]+$/),
};

export const Block = z.discriminatedUnion('kind', [
  z.strictObject({ ...base, kind: z.literal('heading'), text: BlockText }),
  z.strictObject({ ...base, kind: z.literal('text'), text: BlockText }),
  z.strictObject({
    ...base,
    kind: z.literal('image'),
    url: z.union([WebAddress, z.literal('')]),
    alt: Label,
  }),
  z.strictObject({ ...base, kind: z.literal('divider') }),
  z.strictObject({ ...base, kind: z.literal('spacer'), height: z.number().int().min(0).max(200) }),
  z.strictObject({
    ...base,
    kind: z.literal('field'),
    field: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[\w-]+$/),
    as: z.enum(FIELD_KINDS),
    label: Label,
    placeholder: Label,
    required: z.boolean(),
    options: z.array(line(LIMITS.label, 1)).max(LIMITS.options),
    value: Label,
    half: z.boolean(),
    min: z.number().min(-1e15).max(1e15).optional(),
    max: z.number().min(-1e15).max(1e15).optional(),
    minLength: z.number().int().min(1).max(LIMITS.answer).optional(),
    maxLength: z.number().int().min(1).max(LIMITS.answer).optional(),
    pattern: line(LIMITS.pattern, 1).optional(),
  }),
  z.strictObject({ ...base, kind: z.literal('interests'), label: Label }),
  z.strictObject({
    ...base,
    kind: z.literal('consent'),
    as: z.enum(['email', 'sms', 'terms']),
    text: BlockText,
    required: z.boolean(),
  }),
  z.strictObject({ ...base, kind: z.literal('button'), text: line(LIMITS.label, 1) }),
  z.strictObject({ ...base, kind: z.literal('decline'), text: line(LIMITS.label, 1) }),
  z.strictObject({ ...base, kind: z.literal('code'), text: BlockText }),
]);

const Weight = z.number().int().min(100).max(900).multipleOf(100);
const FontStack = z
  .string()
  .max(200)
  .regex(/^[\w '",.-]+$/);
const size = (max: number) => z.number().int().min(0).max(max);

export const Document = z.strictObject({
  version: z.literal(1),
  language: z.enum(FORM_LANGUAGES),
  layout: z.enum([...LAYOUTS.popup, ...LAYOUTS.embed, ...LAYOUTS.spinToWin]),
  steps: z
    .array(z.strictObject({ id: base.id, blocks: z.array(Block).max(LIMITS.blocks) }))
    .min(1)
    .max(3),
  success: z.array(Block).max(LIMITS.blocks),
  picture: z.strictObject({ url: z.union([WebAddress, z.literal('')]), alt: Label }).nullable(),
  teaser: Label,
  styles: z.strictObject({
    width: z.number().int().min(200).max(1200),
    borderWidth: size(40),
    borderColour: Color,
    radius: size(100),
    shadow: z.boolean(),
    background: Color,
    colour: Color,
    heading: Color,
    headingSize: z.number().int().min(10).max(80),
    textSize: z.number().int().min(10).max(40),
    align: z.enum(['start', 'center']),
    font: FontStack,
    fieldBackground: Color,
    fieldBorder: Color,
    fieldColour: Color,
    fieldRadius: size(60),
    button: Color,
    buttonColour: Color,
    buttonRadius: size(60),
    buttonFull: z.boolean(),
    overlay: Color,
    spacing: size(80),
    textWeight: Weight.default(STYLES.textWeight),
    headingFont: z.union([FontStack, z.literal('')]).default(''),
    headingWeight: Weight.default(STYLES.headingWeight),
    fieldBorderWidth: size(20).default(STYLES.fieldBorderWidth),
    fieldShadow: z.boolean().default(STYLES.fieldShadow),
    buttonWeight: Weight.default(STYLES.buttonWeight),
    buttonBorderWidth: size(20).default(STYLES.buttonBorderWidth),
    buttonBorderColour: Color.default(STYLES.buttonBorderColour),
    buttonShadow: z.boolean().default(STYLES.buttonShadow),
  }),
});
