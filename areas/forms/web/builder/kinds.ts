// The kinds of blocks, and the initial content of each, in the form's language.
import {
  IconCalendar,
  IconCalendarClock,
  IconCalendarMonth,
  IconCheckbox,
  IconClick,
  IconClock,
  IconEyeOff,
  IconForms,
  IconHeading,
  IconLetterT,
  IconLine,
  IconLink,
  IconListCheck,
  IconMail,
  IconNumber123,
  IconPalette,
  IconPhone,
  IconPhoto,
  IconSelector,
  IconSpacingVertical,
  IconTicket,
  IconUser,
  IconX,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { queryAllFields } from '#areas/fields/web/index.ts';
import type { FormBlock, BlockKind, FieldKind } from '#embed/forms/shared/document.ts';
import { defaultTexts } from '../../default-texts.ts';
import { listFieldBlocks, createBlockId } from './draft.ts';
import { useBuilder } from './store.ts';
import { useTexts } from '#platform/web/texts/texts.ts';

export const ICONS: Record<BlockKind, typeof IconHeading> = {
  heading: IconHeading,
  text: IconLetterT,
  image: IconPhoto,
  divider: IconLine,
  spacer: IconSpacingVertical,
  field: IconForms,
  interests: IconListCheck,
  consent: IconCheckbox,
  button: IconClick,
  decline: IconX,
  code: IconTicket,
};

const FIELD_ICONS: Record<FieldKind, typeof IconHeading> = {
  email: IconMail,
  text: IconForms,
  number: IconNumber123,
  datetime: IconCalendar,
  'datetime-local': IconCalendarClock,
  time: IconClock,
  month: IconCalendarMonth,
  color: IconPalette,
  phone: IconPhone,
  url: IconLink,
  select: IconSelector,
  choices: IconListCheck,
  hidden: IconEyeOff,
};

/**
 * Returns a field's icon. Name fields have their own; other fields have the icon of their input
 * kind.
 */
export const findFieldIcon = (name: string, fieldKind: FieldKind) =>
  fieldKind === 'text' && (name === 'firstname' || name === 'lastname')
    ? IconUser
    : FIELD_ICONS[fieldKind];

export const findIcon = (block: FormBlock) =>
  block.kind === 'field' ? findFieldIcon(block.field, block.as) : ICONS[block.kind];

/** The kinds offered for a step, besides fields. */
export const STEP_KINDS = [
  'heading',
  'text',
  'image',
  'divider',
  'spacer',
  'interests',
  'consent',
  'button',
  'decline',
] as const satisfies readonly BlockKind[];

export const SUCCESS_KINDS = [
  'heading',
  'text',
  'image',
  'divider',
  'spacer',
  'code',
] as const satisfies readonly BlockKind[];

export type FieldChoice = { name: string; title: string; kinds: readonly FieldKind[] };

const OWN_KINDS = {
  text: ['text', 'select', 'choices', 'url', 'time', 'month', 'color', 'hidden'],
  number: ['number', 'select', 'hidden'],
  datetime: ['datetime', 'datetime-local', 'hidden'],
  // Only the day and the month of a chosen date are stored.
  birthday: ['datetime', 'hidden'],
} as const satisfies Record<string, readonly FieldKind[]>;

/** Returns the fields that a form can have: the built-in ones, then the account's custom ones. */
export function useFieldChoices(): {
  fields: FieldChoice[];
  query: ReturnType<typeof useCustomFields>;
} {
  const t = useTexts('forms-builder');
  const query = useCustomFields();
  const customFields = (query.data?.data ?? []).map(({ id, title, type }) => ({
    name: id,
    title,
    kinds: OWN_KINDS[type],
  }));
  const builtInFields: FieldChoice[] = [
    { name: 'email', title: t('fields.email'), kinds: ['email'] },
    { name: 'firstname', title: t('fields.firstname'), kinds: ['text', 'hidden'] },
    { name: 'lastname', title: t('fields.lastname'), kinds: ['text', 'hidden'] },
    { name: 'phone', title: t('fields.phone'), kinds: ['phone'] },
  ];
  return {
    fields: [
      ...builtInFields,
      ...customFields.filter(
        ({ name }) => !builtInFields.some((fieldChoice) => fieldChoice.name === name),
      ),
    ],
    query,
  };
}

const useCustomFields = () => useQuery(queryAllFields());

/**
 * Returns a function that creates a block from its kind, or from `field:` and the name of a field.
 * The block is undefined if the field is unknown or already in the form.
 */
export function useMakeBlock() {
  const { store } = useBuilder();
  const { fields } = useFieldChoices();
  return (tile: string): FormBlock | undefined => {
    const { document } = store.getState().document;
    const texts = defaultTexts(document.language);
    const id = createBlockId();
    const name = /^field:(.+)$/.exec(tile)?.[1];
    if (name) {
      const field = fields.find((field) => field.name === name);
      if (!field || listFieldBlocks(document).some((field) => field.field === name))
        return undefined;
      const fieldKind = field.kinds[0] ?? 'text';
      return {
        id,
        kind: 'field',
        field: name,
        as: fieldKind,
        label: texts.fields[name] ?? field.title,
        placeholder: '',
        required: name === 'email',
        options: [],
        value: '',
        half: false,
      };
    }
    return createBlock(tile as Exclude<BlockKind, 'field'>, id, texts);
  };
}

function createBlock(
  kind: Exclude<BlockKind, 'field'>,
  id: string,
  texts: ReturnType<typeof defaultTexts>,
): FormBlock {
  switch (kind) {
    case 'image':
      return { id, kind, url: '', alt: '' };
    case 'divider':
      return { id, kind };
    case 'spacer':
      return { id, kind, height: 24 };
    case 'interests':
      return { id, kind, label: texts.interests };
    case 'consent':
      return { id, kind, as: 'email', text: texts.consent, required: false };
    case 'heading':
    case 'text':
    case 'button':
    case 'decline':
    case 'code':
      return { id, kind, text: texts[kind] };
  }
}
