// Settings of a section: columns, backgrounds and padding, narrow screens, dark mode, condition.
import { Tabs } from '@mantine/core';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { SectionColumn, Section } from '../../document.ts';
import { NO_PICTURE } from '../../document-factory.ts';
import { hasFooterBlock } from '../../document-layout.ts';
import { addKeys } from '#platform/web/editing/keyed.ts';
import { useEditor } from '../store.ts';
import { setColumns } from '../tree.ts';
import { ConditionForm } from './condition-form.tsx';
import { BorderRows, ColorRow, PaddingRow } from '#platform/web/editing/box-fields.tsx';
import { FieldPart } from '#platform/web/editing/field-parts.tsx';
import { ChoiceRow, NumberRow } from '#platform/web/editing/fields.tsx';
import { mergeDefined } from './forms/form-pieces.tsx';
import { ScreensRow } from './screens-row.tsx';
import classes from './inspector.module.css';
import { DocumentImageField } from './picture-field.tsx';

const LAYOUTS: readonly (readonly number[])[] = [
  [1],
  [1, 1],
  [1, 2],
  [2, 1],
  [1, 1, 1],
  [1, 2, 1],
  [1, 1, 1, 1],
];

export function SectionForm({ section }: { section: Section }) {
  const t = useTexts('content');
  const { editSection } = useEditor();
  const editThisSection = (patch: Partial<Section>, name?: string) =>
    editSection(section.id, (now) => ({ ...now, ...patch }), name ?? Object.keys(patch).join());
  return (
    <>
      <ColumnsPart section={section} />
      <Tabs defaultValue="style" keepMounted={false} mt="xs">
        <Tabs.List grow>
          <Tabs.Tab value="style">{t('style.title')}</Tabs.Tab>
          <Tabs.Tab value="mobile">{t('style.mobile')}</Tabs.Tab>
          <Tabs.Tab value="who">{t('condition.title')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="style">
          <StylePart section={section} put={editThisSection} />
          {section.columns.map((column, index) => (
            <ColumnPart
              key={column.id}
              column={column}
              index={index}
              isAlone={section.columns.length === 1}
            />
          ))}
        </Tabs.Panel>
        <Tabs.Panel value="mobile">
          <MobilePart section={section} put={editThisSection} />
        </Tabs.Panel>
        <Tabs.Panel value="who">
          <ConditionForm
            condition={section.condition}
            onChange={(condition) => editThisSection({ condition })}
          />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

type EditSection = (part: Partial<Section>, name?: string) => void;

function ColumnsPart({ section }: { section: Section }) {
  const t = useTexts('content');
  const { list, number } = useFormats();
  const { editSection } = useEditor();
  const now = section.columns.map(({ ratio }) => ratio);
  return (
    <FieldPart title={t('palette.columns')}>
      <div className={classes.layouts}>
        {LAYOUTS.map((ratios) => (
          <button
            key={ratios.join()}
            type="button"
            className={classes.layout}
            aria-pressed={ratios.join() === now.join()}
            aria-label={t('palette.layout', { ratios: list(ratios.map((ratio) => number(ratio))) })}
            onClick={() => editSection(section.id, (old) => setColumns(old, ratios))}
          >
            {addKeys(ratios, String).map(([key, ratio]) => (
              <span key={key} style={{ flex: ratio }} />
            ))}
          </button>
        ))}
      </div>
      {section.columns.length > 1 &&
        section.columns.map((column, index) => (
          <NumberRow
            key={column.id}
            label={t('section.ratio', { at: number(index + 1) })}
            value={column.ratio}
            min={1}
            max={12}
            suffix=""
            onChange={(ratio) =>
              editSection(
                section.id,
                (old) =>
                  setColumns(
                    old,
                    old.columns.map((column, at) => (at === index ? (ratio ?? 1) : column.ratio)),
                  ),
                'ratio',
              )
            }
          />
        ))}
    </FieldPart>
  );
}

function StylePart({ section, put }: { section: Section; put: EditSection }) {
  const t = useTexts('content');
  return (
    <>
      <FieldPart>
        <BackgroundColors section={section} put={put} />
        <PaddingRow
          label={t('style.padding')}
          value={section.padding}
          defaultValue={section.padding}
          onChange={(padding) => padding && put({ padding })}
        />
        {section.columns.length > 1 && (
          <NumberRow
            label={t('style.gap')}
            value={section.gap}
            max={100}
            onChange={(gap) => put({ gap: gap ?? 0 })}
          />
        )}
        <BorderRows
          label={t('style.border')}
          value={section.border}
          onChange={(border) => put({ border: border ?? null })}
        />
        <NumberRow
          label={t('style.radius')}
          value={section.radius}
          onChange={(radius) => put({ radius: radius ?? 0 })}
        />
      </FieldPart>
      <FieldPart title={t('section.image')}>
        <DocumentImageField
          isBackground
          image={section.background_image ?? NO_PICTURE}
          onChange={(image, name) =>
            put({ background_image: image.src === '' ? null : image }, name)
          }
        />
      </FieldPart>
    </>
  );
}

function BackgroundColors({ section, put }: { section: Section; put: EditSection }) {
  const t = useTexts('content');
  const putDark = (patch: {
    background?: Section['dark']['background'] | undefined;
    outer_background?: Section['dark']['outer_background'] | undefined;
  }) => {
    put({ dark: mergeDefined(section.dark, patch) }, `dark-${Object.keys(patch).join()}`);
  };
  return (
    <>
      <ColorRow
        label={t('style.background')}
        value={section.background ?? undefined}
        onChange={(background) => put({ background: background ?? null })}
      />
      <ColorRow
        label={t('section.outer')}
        value={section.outer_background ?? undefined}
        onChange={(color) => put({ outer_background: color ?? null })}
      />
      <ColorRow
        label={t('section.darkBackground')}
        value={section.dark.background}
        onChange={(background) => putDark({ background })}
      />
      <ColorRow
        label={t('section.darkOuter')}
        value={section.dark.outer_background}
        onChange={(outer_background) => putDark({ outer_background })}
      />
    </>
  );
}

function ColumnPart({
  column,
  index,
  isAlone,
}: {
  column: SectionColumn;
  index: number;
  isAlone: boolean;
}) {
  const t = useTexts('content');
  const { number } = useFormats();
  const { editColumn } = useEditor();
  const editThisColumn = (patch: Partial<SectionColumn>) =>
    editColumn(column.id, (now) => ({ ...now, ...patch }), Object.keys(patch).join());
  return (
    <FieldPart title={isAlone ? t('section.card') : t('fields.column', { at: number(index + 1) })}>
      <ColorRow
        label={t('style.background')}
        value={column.background ?? undefined}
        onChange={(background) => editThisColumn({ background: background ?? null })}
      />
      <NumberRow
        label={t('style.radius')}
        value={column.radius}
        onChange={(radius) => editThisColumn({ radius: radius ?? 0 })}
      />
      <PaddingRow
        label={t('style.padding')}
        value={column.padding}
        defaultValue={column.padding}
        onChange={(padding) => padding && editThisColumn({ padding })}
      />
      {!isAlone && (
        <ChoiceRow
          label={t('section.vertical')}
          value={column.vertical}
          onChange={(vertical) => editThisColumn({ vertical })}
          data={(['top', 'middle', 'bottom'] as const).map((value) => ({
            value,
            label: t(`vertical.${value}`),
          }))}
        />
      )}
    </FieldPart>
  );
}

function MobilePart({ section, put }: { section: Section; put: EditSection }) {
  const t = useTexts('content');
  return (
    <FieldPart>
      <ScreensRow
        value={section.hide_on}
        isNeeded={hasFooterBlock(section)}
        onChange={(hide_on) => put({ hide_on })}
      />
      <ChoiceRow
        label={t('section.stacking')}
        value={section.stacking}
        onChange={(stacking) => put({ stacking })}
        data={(['stack', 'reverse', 'keep'] as const).map((value) => ({
          value,
          label: t(`stacking.${value}`),
        }))}
      />
      <PaddingRow
        label={t('style.padding')}
        value={section.mobile_padding ?? undefined}
        defaultValue={section.padding}
        onChange={(padding) => put({ mobile_padding: padding ?? null })}
      />
    </FieldPart>
  );
}
