// The form's styles, element by element.
import { STYLES, type Styles } from '#embed/forms/shared/document.ts';
import { FONTS } from '#areas/content/fonts.ts';
import { type Color, ColorRow } from '#platform/web/editing/box-fields.tsx';
import { FieldPart, Row } from '#platform/web/editing/field-parts.tsx';
import { ChoiceRow, NumberRow, SwitchRow } from '#platform/web/editing/fields.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { Themes } from './styles.tsx';
import { ImageRows } from './picture-rows.tsx';
import { useBuilder, useDraft } from './store.ts';

type NumericStyle = {
  [Key in keyof Styles]: Styles[Key] extends number ? Key : never;
}[keyof Styles];
type ColorKey =
  | 'borderColour'
  | 'background'
  | 'colour'
  | 'heading'
  | 'fieldBackground'
  | 'fieldBorder'
  | 'fieldColour'
  | 'button'
  | 'buttonColour'
  | 'buttonBorderColour';
type SwitchedStyle = 'shadow' | 'fieldShadow' | 'buttonShadow' | 'buttonFull';

export default function DesignTab() {
  const t = useTexts('forms-builder');
  const { editDocument } = useBuilder();
  const { document } = useDraft();
  return (
    <>
      <Themes />
      <FormPart />
      {document.picture && (
        <FieldPart title={t('design.picture')}>
          <ImageRows
            image={document.picture}
            onChange={(image, name) => editDocument((now) => ({ ...now, picture: image }), name)}
          />
        </FieldPart>
      )}
      <FieldPart title={t('design.text')}>
        <Fonts styleKey="font" />
        <Weights styleKey="textWeight" font={document.styles.font} />
        <Size styleKey="textSize" min={10} max={40} />
        <Colouring styleKey="colour" />
      </FieldPart>
      <FieldPart title={t('design.heading')}>
        <Fonts styleKey="headingFont" />
        <Weights
          styleKey="headingWeight"
          font={document.styles.headingFont || document.styles.font}
        />
        <Size styleKey="headingSize" min={10} max={80} />
        <Colouring styleKey="heading" />
      </FieldPart>
      <FieldPart title={t('design.fields')}>
        <Colouring styleKey="fieldBackground" />
        <Colouring styleKey="fieldColour" />
        <Size styleKey="fieldBorderWidth" max={20} />
        <Colouring styleKey="fieldBorder" />
        <Size styleKey="fieldRadius" max={60} />
        <StyleSwitch styleKey="fieldShadow" />
      </FieldPart>
      <FieldPart title={t('design.button')}>
        <Colouring styleKey="button" />
        <Colouring styleKey="buttonColour" />
        <Weights styleKey="buttonWeight" font={document.styles.font} />
        <Size styleKey="buttonBorderWidth" max={20} />
        <Colouring styleKey="buttonBorderColour" />
        <Size styleKey="buttonRadius" max={60} />
        <StyleSwitch styleKey="buttonShadow" />
        <StyleSwitch styleKey="buttonFull" />
      </FieldPart>
    </>
  );
}

function FormPart() {
  const t = useTexts('forms-builder');
  const { type } = useBuilder();
  return (
    <FieldPart title={t('design.form')}>
      <Size styleKey="width" min={200} max={1200} />
      <Colouring styleKey="background" />
      <Size styleKey="borderWidth" max={40} />
      <Colouring styleKey="borderColour" />
      <Size styleKey="radius" max={100} />
      <Size styleKey="spacing" max={80} />
      <Align />
      {type !== 'embed' && (
        <>
          <StyleSwitch styleKey="shadow" />
          <Overlay />
        </>
      )}
    </FieldPart>
  );
}

/** Returns a style of the draft, or its default if an older draft lacks this style. */
function useStyle<Key extends keyof Styles>(key: Key): Styles[Key] {
  return useDraft().document.styles[key] ?? STYLES[key];
}

function Size({ styleKey, min = 0, max }: { styleKey: NumericStyle; min?: number; max: number }) {
  const t = useTexts('forms-builder');
  const { editStyles } = useBuilder();
  return (
    <NumberRow
      label={t(`styles.${styleKey}`)}
      value={useStyle(styleKey)}
      min={min}
      max={max}
      onChange={(value) => value !== undefined && editStyles({ [styleKey]: value }, styleKey)}
    />
  );
}

function Colouring({ styleKey }: { styleKey: ColorKey }) {
  const t = useTexts('forms-builder');
  const { editStyles } = useBuilder();
  return (
    <ColorRow
      label={t(`styles.${styleKey}`)}
      value={useStyle(styleKey) as Color}
      isFixed
      onChange={(value) => value !== undefined && editStyles({ [styleKey]: value }, styleKey)}
    />
  );
}

function StyleSwitch({ styleKey }: { styleKey: SwitchedStyle }) {
  const t = useTexts('forms-builder');
  const { editStyles } = useBuilder();
  return (
    <SwitchRow
      label={t(`styles.${styleKey}`)}
      value={useStyle(styleKey)}
      onChange={(value) => editStyles({ [styleKey]: value })}
    />
  );
}

function Align() {
  const t = useTexts('forms-builder');
  const { editStyles } = useBuilder();
  return (
    <ChoiceRow
      label={t('styles.align')}
      value={useStyle('align')}
      data={(['start', 'center'] as const).map((value) => ({
        value,
        label: t(`align.${value}`),
      }))}
      onChange={(align) => editStyles({ align })}
    />
  );
}

/** The overlay of a popup: its color and opacity. */
function Overlay() {
  const t = useTexts('forms-builder');
  const { editStyles } = useBuilder();
  const overlay = useStyle('overlay');
  const color = overlay.slice(0, 7) as Color;
  const opacity = overlay.length === 9 ? Number.parseInt(overlay.slice(7), 16) / 255 : 1;
  const setOverlay = (next: Color, alpha: number) =>
    editStyles(
      {
        overlay: `${next}${Math.round(alpha * 255)
          .toString(16)
          .padStart(2, '0')}`,
      },
      'overlay',
    );
  return (
    <>
      <ColorRow
        label={t('styles.overlay')}
        value={color}
        isFixed
        onChange={(next) => next !== undefined && setOverlay(next, opacity)}
      />
      <NumberRow
        label={t('styles.overlayShare')}
        value={Math.round(opacity * 100)}
        max={100}
        suffix=" %"
        onChange={(next) => next !== undefined && setOverlay(color, next / 100)}
      />
    </>
  );
}

const NAMED = new Map(FONTS.map((font) => [font.stack, font]));
/** Some system fonts have the same stack of fallbacks, so each stack gets its font's name first. */
const toStack = ({ name, stack }: (typeof FONTS)[number]) =>
  stack.startsWith(name) || stack.startsWith(`'${name}`) ? stack : `'${name}',${stack}`;

function Fonts({ styleKey }: { styleKey: 'font' | 'headingFont' }) {
  const t = useTexts('forms-builder');
  const { editStyles } = useBuilder();
  const value = useStyle(styleKey);
  const defaultValue = styleKey === 'font' ? 'inherit' : '';
  const choices = (kind: 'system' | 'web') =>
    FONTS.filter((font) => font.kind === kind).map((font) => ({
      value: toStack(font),
      label: font.name,
    }));
  return (
    <Row label={t(`styles.${styleKey}`)}>
      <SearchableSelect
        size="xs"
        allowDeselect={false}
        aria-label={t(`styles.${styleKey}`)}
        value={value}
        data={[
          { value: defaultValue, label: t(styleKey === 'font' ? 'fonts.site' : 'fonts.same') },
          { group: t('fonts.system'), items: choices('system') },
          { group: t('fonts.web'), items: choices('web') },
        ]}
        comboboxProps={{ shadow: 'md', width: 220, position: 'bottom-end' }}
        onChange={(next) => next !== null && editStyles({ [styleKey]: next })}
      />
    </Row>
  );
}

const ALL_WEIGHTS = [300, 400, 500, 600, 700, 800, 900];

/** The weights of the font; the site's own font may have any. */
function Weights({
  styleKey,
  font,
}: {
  styleKey: 'textWeight' | 'headingWeight' | 'buttonWeight';
  font: string;
}) {
  const t = useTexts('forms-builder');
  const { editStyles } = useBuilder();
  const value = useStyle(styleKey);
  const fontWeights =
    NAMED.get(font)?.weights ?? FONTS.find((fontWeights) => toStack(fontWeights) === font)?.weights;
  const weights = [...new Set([...(fontWeights ?? ALL_WEIGHTS), value])].toSorted((a, b) => a - b);
  return (
    <ChoiceRow
      label={t(`styles.${styleKey}`)}
      value={String(value)}
      data={weights.map((weight) => ({
        value: String(weight),
        label: t(`weights.${weight as 300}`),
      }))}
      onChange={(next) => editStyles({ [styleKey]: Number(next) })}
    />
  );
}
