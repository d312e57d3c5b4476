// Settings of the selected block: first the fields of its type, then its style, with changes to the
// style on mobile devices and in dark mode.
import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Block, BlockStyle, BlockType, DarkStyle, MobileStyle } from '../../document.ts';
import { resolveBlockPadding, layOutColumns, isFooterBlock } from '../../document-layout.ts';
import { AssistTools } from '../assist/assist-tools-late.tsx';
import { resolveTypography, getDefaultAlign } from '../canvas/canvas-styles.ts';
import { useEditor, useEditorState } from '../store.ts';
import type { BlockLocation } from '../tree.ts';
import { BLOCK_FORMS } from './forms/block-forms.ts';
import { type BlockChange, mergeDefined } from './forms/form-pieces.tsx';
import { BorderRows, ColorRow, PaddingRow } from '#platform/web/editing/box-fields.tsx';
import { FieldPart } from '#platform/web/editing/field-parts.tsx';
import { NumberRow } from '#platform/web/editing/fields.tsx';
import { AlignRow, FontRow, WeightRow } from './text-fields.tsx';
import { ScreensRow } from './screens-row.tsx';

const WITH_TEXT: readonly BlockType[] = [
  'heading',
  'text',
  'button',
  'menu',
  'product',
  'coupon',
  'event',
  'table',
  'footer',
];
const WITH_BORDER: readonly BlockType[] = ['heading', 'text', 'image', 'video', 'coupon', 'event'];
const WITH_ALIGNMENT: readonly BlockType[] = [
  'heading',
  'text',
  'image',
  'video',
  'button',
  'divider',
  'social',
  'menu',
  'product',
  'coupon',
  'event',
  'countdown',
  'header',
  'footer',
];

export function BlockForm({ location }: { location: BlockLocation }) {
  const t = useTexts('content');
  const { editBlock } = useEditor();
  const { block } = location;
  const change: BlockChange = (fields, name) =>
    editBlock(block.id, (now) => ({ ...now, ...fields }) as Block, name ?? 'form');
  const Form = BLOCK_FORMS[block.type] as (props: {
    block: Block;
    change: BlockChange;
  }) => ReactNode;
  return (
    <>
      <FieldPart>
        <Form block={block} change={change} />
        <AssistTools node={block.id} />
      </FieldPart>
      <Tabs defaultValue="style" keepMounted={false} mt="xs">
        <Tabs.List grow>
          <Tabs.Tab value="style">{t('style.title')}</Tabs.Tab>
          <Tabs.Tab value="mobile">{t('style.mobile')}</Tabs.Tab>
          <Tabs.Tab value="dark">{t('style.dark')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="style">
          <StylePart location={location} change={change} />
        </Tabs.Panel>
        <Tabs.Panel value="mobile">
          <MobilePart location={location} change={change} />
        </Tabs.Panel>
        <Tabs.Panel value="dark">
          <DarkPart block={block} change={change} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

interface PartProps {
  location: BlockLocation;
  change: BlockChange;
}

function usePadding(location: BlockLocation) {
  const settings = useEditorState((state) => state.document.settings);
  const box = layOutColumns(location.section, settings)[location.columnIndex];
  return box
    ? resolveBlockPadding({ ...location.block, style: {} } as Block, location.column, box)
    : { top: 0, end: 0, bottom: 0, start: 0 };
}

type StylePatch = { [Key in keyof BlockStyle]?: BlockStyle[Key] | undefined };

function StylePart({ location, change }: PartProps) {
  const t = useTexts('content');
  const padding = usePadding(location);
  const { block } = location;
  const { style } = block;
  const editStyle = (part: StylePatch) =>
    change({ style: mergeDefined(style, part) }, Object.keys(part).join());
  return (
    <FieldPart>
      {WITH_ALIGNMENT.includes(block.type) && (
        <AlignRow
          value={style.align}
          defaultAlign={getDefaultAlign(block.type)}
          onChange={(align) => editStyle({ align })}
        />
      )}
      {WITH_TEXT.includes(block.type) && <TextRows block={block} put={editStyle} />}
      <ColorRow
        label={t('style.background')}
        value={style.background}
        onChange={(background) => editStyle({ background })}
      />
      {WITH_BORDER.includes(block.type) && (
        <>
          <BorderRows
            label={t('style.border')}
            value={style.border}
            onChange={(border) => editStyle({ border })}
          />
          <NumberRow
            label={t('style.radius')}
            value={style.radius}
            defaultValue={0}
            onChange={(radius) => editStyle({ radius })}
          />
        </>
      )}
      <PaddingRow
        label={t('style.padding')}
        value={style.padding}
        defaultValue={padding}
        onChange={(value) => editStyle({ padding: value })}
      />
    </FieldPart>
  );
}

/** Text style of a block. */
function TextRows({ block, put }: { block: Block; put: (part: StylePatch) => void }) {
  const t = useTexts('content');
  const settings = useEditorState((state) => state.document.settings);
  const { style } = block;
  const isButton = block.type === 'button';
  const defaults = resolveTypography({ ...block, style: {} } as Block, settings);
  const typography = isButton ? settings.button : defaults;
  return (
    <>
      <FontRow
        label={t('style.font')}
        value={style.font}
        defaultValue={typography.font}
        onChange={(font) => put({ font })}
      />
      <NumberRow
        label={t('style.size')}
        value={style.size}
        defaultValue={typography.size}
        min={8}
        max={96}
        onChange={(size) => put({ size })}
      />
      <WeightRow
        label={t('style.weight')}
        font={style.font ?? typography.font}
        value={style.weight}
        onChange={(weight) => put({ weight })}
      />
      {!isButton && (
        <>
          <NumberRow
            label={t('style.lineHeight')}
            value={style.line_height}
            defaultValue={defaults.line_height}
            min={0.8}
            max={3}
            step={0.05}
            suffix=""
            onChange={(line_height) => put({ line_height })}
          />
          <ColorRow
            label={t('style.color')}
            value={style.color}
            defaultValue={block.type === 'heading' ? settings.heading.color : settings.text.color}
            onChange={(color) => put({ color })}
          />
        </>
      )}
    </>
  );
}

function MobilePart({ location, change }: PartProps) {
  const t = useTexts('content');
  const padding = usePadding(location);
  const { block } = location;
  const editMobile = (part: { [Key in keyof MobileStyle]?: MobileStyle[Key] | undefined }) =>
    change({ mobile: mergeDefined(block.mobile, part) }, Object.keys(part).join());
  return (
    <FieldPart>
      <ScreensRow
        value={block.hide_on}
        isNeeded={isFooterBlock(block)}
        onChange={(hide_on) => change({ hide_on })}
      />
      {WITH_ALIGNMENT.includes(block.type) && (
        <AlignRow
          value={block.mobile.align}
          defaultAlign={block.style.align ?? getDefaultAlign(block.type)}
          onChange={(align) => editMobile({ align })}
        />
      )}
      {(block.type === 'heading' || block.type === 'text') && (
        <NumberRow
          label={t('style.size')}
          value={block.mobile.size}
          min={8}
          max={96}
          onChange={(size) => editMobile({ size })}
        />
      )}
      <PaddingRow
        label={t('style.padding')}
        value={block.mobile.padding}
        defaultValue={block.style.padding ?? padding}
        onChange={(value) => editMobile({ padding: value })}
      />
    </FieldPart>
  );
}

function DarkPart({ block, change }: { block: Block; change: BlockChange }) {
  const t = useTexts('content');
  const editDark = (part: { [Key in keyof DarkStyle]?: DarkStyle[Key] | undefined }) =>
    change({ dark: mergeDefined(block.dark, part) }, Object.keys(part).join());
  return (
    <FieldPart>
      {WITH_TEXT.includes(block.type) && block.type !== 'button' && (
        <ColorRow
          label={t('style.color')}
          value={block.dark.color}
          onChange={(color) => editDark({ color })}
        />
      )}
      <ColorRow
        label={t('style.background')}
        value={block.dark.background}
        onChange={(background) => editDark({ background })}
      />
    </FieldPart>
  );
}
