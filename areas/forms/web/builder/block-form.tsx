// The settings of one block: its text, its field, its picture; and its actions.
import { ActionIcon, Button, Group, Select, TagsInput, Textarea, Tooltip } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowLeft,
  IconArrowUp,
  IconCopy,
  IconTrash,
} from '@tabler/icons-react';
import { useRef } from 'react';
import { type FormFieldBlock, type FormBlock, LIMITS } from '#embed/forms/shared/document.ts';
import { FieldPart } from '#platform/web/editing/field-parts.tsx';
import { LineRow, NumberRow, SwitchRow } from '#platform/web/editing/fields.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { defaultTexts } from '../../default-texts.ts';
import { useBlockActions } from './actions.ts';
import { CouponRows } from './coupon-rows.tsx';
import classes from './builder.module.css';
import {
  listBlocks,
  hasLines,
  hasLinks,
  readPlainText,
  readBlockText,
  setBlockText,
  setPlainText,
} from './draft.ts';
import { LinkRows } from './link-rows.tsx';
import { formatLinks, parseLinks } from './linked-text.ts';
import { useFieldChoices } from './kinds.ts';
import { ImageRows } from './picture-rows.tsx';
import { toSide, useBuilder, useBuilderState, useDraft } from './store.ts';

type ConsentBlock = Extract<FormBlock, { kind: 'consent' }>;

export function BlockForm({ block }: { block: FormBlock }) {
  const t = useTexts('forms-builder');
  const { editBlock } = useBuilder();
  const text = readPlainText(block);
  const field = useRef<HTMLTextAreaElement>(null);
  return (
    <>
      <BlockHead block={block} />
      <FieldPart>
        {text !== undefined && (
          <Textarea
            size="xs"
            autosize
            minRows={hasLines(block.kind) ? 3 : 1}
            maxLength={'text' in block ? LIMITS.text : LIMITS.label}
            label={t(block.kind === 'field' ? 'field.label' : 'block.words')}
            dir="auto"
            ref={field}
            value={text}
            onChange={(event) => {
              const value = event.currentTarget.value;
              editBlock(block.id, (block) => setPlainText(block, value), 'words');
            }}
          />
        )}
        {hasLinks(block.kind) && (
          <LinkRows
            linkedText={parseLinks(readBlockText(block) ?? '')}
            field={field}
            onChange={(linkedText) =>
              editBlock(block.id, (block) => setBlockText(block, formatLinks(linkedText)), 'links')
            }
          />
        )}
        {block.kind === 'code' && <CouponRows />}
        {block.kind === 'field' && <FieldRows block={block} />}
        {block.kind === 'consent' && <ConsentRows block={block} />}
        {block.kind === 'image' && (
          <ImageRows
            image={block}
            onChange={(image, name) =>
              editBlock(block.id, (block) => ({ ...block, ...image }), name)
            }
          />
        )}
        {block.kind === 'spacer' && (
          <NumberRow
            label={t('block.height')}
            value={block.height}
            max={200}
            step={8}
            onChange={(height) =>
              editBlock(block.id, (block) => ({ ...block, height: height ?? 24 }), 'height')
            }
          />
        )}
      </FieldPart>
    </>
  );
}

function BlockHead({ block }: { block: FormBlock }) {
  const t = useTexts('forms-builder');
  const { select } = useBuilder();
  return (
    <div className={classes.head}>
      <Group gap={4} wrap="nowrap">
        <Tooltip label={t('tools.all')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('tools.all')}
            onClick={() => select(null)}
          >
            <IconArrowLeft size={16} stroke={1.75} className={classes.arrow} />
          </ActionIcon>
        </Tooltip>
        <h2>{t(`kinds.${block.kind}`)}</h2>
      </Group>
      <Tools block={block} />
    </div>
  );
}

function Tools({ block: { id } }: { block: FormBlock }) {
  const t = useTexts('forms-builder');
  const actions = useBlockActions();
  const blocks = useBuilderState((state) => listBlocks(state.document.document, toSide(state)));
  const index = blocks.findIndex((block) => block.id === id);
  const isField = blocks[index]?.kind === 'field';
  const tools = [
    { name: 'up', icon: IconArrowUp, isOn: index > 0, act: () => actions.step(id, -1) },
    {
      name: 'down',
      icon: IconArrowDown,
      isOn: index < blocks.length - 1,
      act: () => actions.step(id, 1),
    },
    // Field blocks cannot be duplicated, because each field can be used once.
    ...(isField
      ? []
      : [{ name: 'double', icon: IconCopy, isOn: true, act: () => actions.double(id) } as const]),
    { name: 'remove', icon: IconTrash, isOn: true, act: () => actions.remove(id) },
  ] as const;
  return (
    <Group gap={2} wrap="nowrap">
      {tools.map(({ name, icon: Icon, isOn, act }) => (
        <Tooltip key={name} label={t(`tools.${name}`)}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t(`tools.${name}`)}
            aria-disabled={!isOn}
            data-disabled={!isOn || undefined}
            onClick={() => isOn && act()}
          >
            <Icon size={16} stroke={1.75} />
          </ActionIcon>
        </Tooltip>
      ))}
    </Group>
  );
}

function FieldRows({ block }: { block: FormFieldBlock }) {
  const t = useTexts('forms-builder');
  const { editBlock } = useBuilder();
  const { fields } = useFieldChoices();
  const { id, as, value } = block;
  const kinds = fields.find(({ name }) => name === block.field)?.kinds ?? [as];
  const editField = (change: Partial<FormFieldBlock>, name?: string) =>
    editBlock(id, (block) => ({ ...block, ...change }) as FormBlock, name);
  return (
    <>
      {kinds.length > 1 && (
        <Select
          size="xs"
          label={t('field.type')}
          allowDeselect={false}
          value={as}
          data={kinds.map((nextKind) => ({ value: nextKind, label: t(`fieldKinds.${nextKind}`) }))}
          onChange={(next) => {
            const kind = kinds.find((kind) => kind === next);
            if (kind) editField({ as: kind, ...(kind === 'hidden' ? { required: false } : {}) });
          }}
        />
      )}
      {as === 'hidden' ? (
        <LineRow
          label={t('field.value')}
          description={t('field.valueHint', { example: '{{utm_source}}' })}
          value={value}
          onChange={(next) => editField({ value: next.slice(0, LIMITS.label) }, 'value')}
        />
      ) : (
        <VisibleFieldRows block={block} put={editField} />
      )}
    </>
  );
}

type PutField = (change: Partial<FormFieldBlock>, name?: string) => void;

function VisibleFieldRows({ block, put }: { block: FormFieldBlock; put: PutField }) {
  const t = useTexts('forms-builder');
  const { as, required, placeholder, options, half, pattern = '' } = block;
  return (
    <>
      {as !== 'choices' && (
        <LineRow
          label={t('field.placeholder')}
          value={placeholder}
          onChange={(next) => put({ placeholder: next.slice(0, LIMITS.label) }, 'placeholder')}
        />
      )}
      {(as === 'select' || as === 'choices') && (
        <TagsInput
          size="xs"
          label={t('field.options')}
          description={t('field.optionsHint')}
          maxTags={LIMITS.options}
          value={options}
          onChange={(next) => put({ options: next.map((label) => label.slice(0, LIMITS.label)) })}
        />
      )}
      <Bounds block={block} put={put} />
      {as === 'text' && (
        <LineRow
          label={t('field.pattern')}
          description={t('field.patternHint', { example: 'AA-0000' })}
          value={pattern}
          onChange={(next) =>
            put({ pattern: next.slice(0, LIMITS.pattern) || undefined }, 'pattern')
          }
        />
      )}
      <SwitchRow
        label={t('field.required')}
        value={required}
        onChange={(next) => put({ required: next })}
      />
      <SwitchRow label={t('field.half')} value={half} onChange={(next) => put({ half: next })} />
    </>
  );
}

const BOUNDS = {
  number: ['min', 'max'],
  text: ['minLength', 'maxLength'],
} as const;
const MAX_BOUND = 1_000_000_000;

/** The range of a number, or the length of a text; unlimited where empty. */
function Bounds(props: {
  block: FormFieldBlock;
  put: (change: Partial<FormFieldBlock>, name?: string) => void;
}) {
  const t = useTexts('forms-builder');
  const { block, put } = props;
  if (block.as !== 'number' && block.as !== 'text') return null;
  const isNumber = block.as === 'number';
  return BOUNDS[block.as].map((bound) => (
    <NumberRow
      key={bound}
      label={t(`field.${bound}`)}
      value={block[bound]}
      min={isNumber ? -MAX_BOUND : 1}
      max={isNumber ? MAX_BOUND : LIMITS.answer}
      suffix=""
      onChange={(next) => put({ [bound]: next }, bound)}
    />
  ));
}

const CONSENTS = ['email', 'sms', 'terms'] as const;

function ConsentRows({ block }: { block: ConsentBlock }) {
  const t = useTexts('forms-builder');
  const { editBlock } = useBuilder();
  const { language } = useDraft().document;
  const texts = defaultTexts(language);
  const usualTexts = { email: texts.consent, sms: texts.sms, terms: texts.terms };
  return (
    <>
      <Select
        size="xs"
        label={t('consent.to')}
        allowDeselect={false}
        value={block.as}
        data={CONSENTS.map((consent) => ({ value: consent, label: t(`consent.${consent}`) }))}
        onChange={(next) => {
          const channel = CONSENTS.find((consent) => consent === next);
          if (!channel) return;
          const isUsual = Object.values(usualTexts).includes(block.text);
          editBlock(
            block.id,
            (block) =>
              ({
                ...block,
                as: channel,
                ...(isUsual ? { text: usualTexts[channel] } : {}),
                // SMS consent must never be required.
                ...(channel === 'sms' ? { required: false } : {}),
              }) as FormBlock,
          );
        }}
      />
      {block.as !== 'sms' && (
        <SwitchRow
          label={t('field.required')}
          value={block.required}
          onChange={(required) =>
            editBlock(block.id, (block) => ({ ...block, required }) as FormBlock)
          }
        />
      )}
      {block.text !== usualTexts[block.as] && (
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() =>
            editBlock(block.id, (current) => setBlockText(current, usualTexts[block.as]))
          }
        >
          {t('consent.usual')}
        </Button>
      )}
    </>
  );
}
