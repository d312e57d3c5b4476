// Settings of the email: widths and backgrounds, text, headings, links, buttons, dark mode; and the
// brand.
import { Tabs } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { DarkColors, EmailSettings } from '../../document.ts';
import { DEFAULT_SETTINGS } from '../../document-factory.ts';
import { useEditorProps } from '../editor-props.ts';
import { AssistTools } from '../assist/assist-tools-late.tsx';
import { BrandForm } from '../brand/brand-form.tsx';
import { useEditor, useEditorState } from '../store.ts';
import { ColorRow } from '#platform/web/editing/box-fields.tsx';
import { FieldPart } from '#platform/web/editing/field-parts.tsx';
import { ChoiceRow, LineRow, NumberRow, SwitchRow } from '#platform/web/editing/fields.tsx';
import { FontRow, WeightRow } from './text-fields.tsx';

export function EmailSettingsForm() {
  const t = useTexts('content');
  return (
    <Tabs defaultValue="mail" keepMounted={false}>
      <Tabs.List grow>
        <Tabs.Tab value="mail">{t('mail.tab')}</Tabs.Tab>
        <Tabs.Tab value="dark">{t('style.dark')}</Tabs.Tab>
        <Tabs.Tab value="brand">{t('brand.tab')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="mail">
        <LayoutPart />
        <AttachmentsPart />
        <TextPart />
        <HeadingPart />
        <ButtonPart />
      </Tabs.Panel>
      <Tabs.Panel value="dark">
        <DarkPart />
      </Tabs.Panel>
      <Tabs.Panel value="brand">
        <BrandForm />
      </Tabs.Panel>
    </Tabs>
  );
}

function useSettings() {
  const { editSettings } = useEditor();
  const settings = useEditorState((state) => state.document.settings);
  /** Undefined leaves the setting unchanged. */
  const editSetting = <Key extends keyof EmailSettings>(
    key: Key,
    value: EmailSettings[Key] | undefined,
  ) => {
    if (value !== undefined) editSettings({ [key]: value }, key);
  };
  const putIn = <Key extends 'text' | 'heading' | 'link' | 'button'>(
    key: Key,
    part: { [Name in keyof EmailSettings[Key]]?: EmailSettings[Key][Name] | undefined },
  ) => {
    if (Object.values(part).includes(undefined)) return;
    editSettings({ [key]: { ...settings[key], ...part } }, `${key}-${Object.keys(part).join()}`);
  };
  return { settings, put: editSetting, putIn };
}

function LayoutPart() {
  const t = useTexts('content');
  const { settings, put } = useSettings();
  return (
    <FieldPart title={t('mail.layout')}>
      <LineRow
        label={t('mail.preheader')}
        description={t('mail.preheaderHint')}
        value={settings.preheader}
        onChange={(preheader) => put('preheader', preheader.slice(0, 255))}
      />
      <AssistTools node={null} />
      <NumberRow
        label={t('style.width')}
        value={settings.width}
        min={320}
        max={800}
        isFixed
        onChange={(width) => put('width', width)}
      />
      <NumberRow
        label={t('mail.gutter')}
        value={settings.gutter}
        max={100}
        isFixed
        onChange={(gutter) => put('gutter', gutter)}
      />
      <ChoiceRow
        label={t('mail.direction')}
        value={settings.direction}
        onChange={(direction) => put('direction', direction)}
        data={(['auto', 'ltr', 'rtl'] as const).map((value) => ({
          value,
          label: t(`directions.${value}`),
        }))}
      />
      <ColorRow
        label={t('mail.background')}
        value={settings.background}
        isFixed
        onChange={(color) => put('background', color)}
      />
      <ColorRow
        label={t('mail.contentBackground')}
        value={settings.content_background}
        isFixed
        onChange={(color) => put('content_background', color)}
      />
    </FieldPart>
  );
}

function AttachmentsPart() {
  const t = useTexts('composing');
  const { attachments } = useEditorProps();
  return attachments ? <FieldPart title={t('attachments.title')}>{attachments}</FieldPart> : null;
}

function TextPart() {
  const t = useTexts('content');
  const { settings, putIn } = useSettings();
  const { text, link } = settings;
  return (
    <FieldPart title={t('kinds.text')}>
      <FontRow
        label={t('style.font')}
        value={text.font}
        isFixed
        onChange={(font) => putIn('text', { font })}
      />
      <NumberRow
        label={t('style.size')}
        value={text.size}
        min={8}
        max={96}
        isFixed
        onChange={(size) => putIn('text', { size })}
      />
      <NumberRow
        label={t('style.lineHeight')}
        value={text.line_height}
        min={0.8}
        max={3}
        step={0.05}
        suffix=""
        isFixed
        onChange={(line_height) => putIn('text', { line_height })}
      />
      <ColorRow
        label={t('style.color')}
        value={text.color}
        isFixed
        onChange={(color) => putIn('text', { color })}
      />
      <ColorRow
        label={t('mail.link')}
        value={link.color}
        isFixed
        onChange={(color) => putIn('link', { color })}
      />
      <SwitchRow
        label={t('mail.underlined')}
        value={link.is_underlined}
        onChange={(is_underlined) => putIn('link', { is_underlined })}
      />
    </FieldPart>
  );
}

function HeadingPart() {
  const t = useTexts('content');
  const { settings, putIn } = useSettings();
  const { heading } = settings;
  return (
    <FieldPart title={t('kinds.heading')}>
      <FontRow
        label={t('style.font')}
        value={heading.font}
        isFixed
        onChange={(font) => putIn('heading', { font })}
      />
      <WeightRow
        label={t('style.weight')}
        font={heading.font}
        value={heading.weight}
        isFixed
        onChange={(weight) => putIn('heading', { weight })}
      />
      <ColorRow
        label={t('style.color')}
        value={heading.color}
        isFixed
        onChange={(color) => putIn('heading', { color })}
      />
      {([0, 1, 2] as const).map((index) => (
        <NumberRow
          key={index}
          label={t(`levels.l${(index + 1) as 1 | 2 | 3}`)}
          value={heading.sizes[index]}
          min={8}
          max={96}
          isFixed
          onChange={(size) =>
            size &&
            putIn('heading', {
              sizes: heading.sizes.with(index, size) as EmailSettings['heading']['sizes'],
            })
          }
        />
      ))}
    </FieldPart>
  );
}

// oxlint-disable-next-line eslint/max-lines-per-function -- One flat list of rows.
function ButtonPart() {
  const t = useTexts('content');
  const { settings, putIn } = useSettings();
  const { button } = settings;
  return (
    <FieldPart title={t('kinds.button')}>
      <ColorRow
        label={t('button.background')}
        value={button.background}
        isFixed
        onChange={(background) => putIn('button', { background })}
      />
      <ColorRow
        label={t('button.color')}
        value={button.color}
        isFixed
        onChange={(color) => putIn('button', { color })}
      />
      <FontRow
        label={t('style.font')}
        value={button.font}
        isFixed
        onChange={(font) => putIn('button', { font })}
      />
      <NumberRow
        label={t('style.size')}
        value={button.size}
        min={8}
        max={96}
        isFixed
        onChange={(size) => putIn('button', { size })}
      />
      <WeightRow
        label={t('style.weight')}
        font={button.font}
        value={button.weight}
        isFixed
        onChange={(weight) => putIn('button', { weight })}
      />
      <NumberRow
        label={t('style.radius')}
        value={button.radius}
        isFixed
        onChange={(radius) => putIn('button', { radius })}
      />
      <NumberRow
        label={t('mail.buttonX')}
        value={button.padding_x}
        max={100}
        isFixed
        onChange={(padding_x) => putIn('button', { padding_x })}
      />
      <NumberRow
        label={t('mail.buttonY')}
        value={button.padding_y}
        max={60}
        isFixed
        onChange={(padding_y) => putIn('button', { padding_y })}
      />
    </FieldPart>
  );
}

const DARK: readonly (keyof DarkColors)[] = [
  'background',
  'content_background',
  'text',
  'heading',
  'link',
  'button_background',
  'button_text',
];

function DarkPart() {
  const t = useTexts('content');
  const { settings, put } = useSettings();
  const { dark } = settings;
  return (
    <FieldPart>
      <SwitchRow
        label={t('mail.hasDark')}
        value={dark !== null}
        onChange={(isOn) => put('dark', isOn ? DEFAULT_SETTINGS.dark : null)}
      />
      {dark &&
        DARK.map((name) => (
          <ColorRow
            key={name}
            label={t(`darkColours.${name}`)}
            value={dark[name]}
            isFixed
            onChange={(color) => color && put('dark', { ...dark, [name]: color })}
          />
        ))}
    </FieldPart>
  );
}
