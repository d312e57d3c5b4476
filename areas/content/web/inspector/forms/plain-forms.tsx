// Forms of headings, text, buttons, dividers, spacers, footers and custom HTML.
import { Textarea } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import { BorderRows } from '#platform/web/editing/box-fields.tsx';
import { ChoiceRow, LineRow, NumberRow, SwitchRow } from '#platform/web/editing/fields.tsx';
import { ButtonRows } from './button-rows.tsx';
import { type BlockFormProps, Href, WidthRow, WriteHint } from './form-pieces.tsx';

export function HeadingForm({ block, change }: BlockFormProps<'heading'>) {
  const t = useTexts('content');
  return (
    <>
      <WriteHint />
      <ChoiceRow
        label={t('fields.level')}
        value={String(block.level) as '1' | '2' | '3'}
        onChange={(level) => change({ level: Number(level) as 1 | 2 | 3 })}
        data={(['1', '2', '3'] as const).map((value) => ({
          value,
          label: t(`levels.l${value}`),
        }))}
      />
    </>
  );
}

export function TextForm() {
  return <WriteHint />;
}

export function ButtonForm({ block, change }: BlockFormProps<'button'>) {
  const t = useTexts('content');
  return (
    <>
      <LineRow
        label={t('fields.label')}
        value={block.label}
        onChange={(label) => change({ label }, 'label')}
      />
      <Href value={block.href} onChange={(href) => change({ href }, 'href')} />
      <ButtonRows
        buttonStyle={block.button}
        onChange={(button, name) => change({ button }, name)}
      />
    </>
  );
}

export function DividerForm({ block, change }: BlockFormProps<'divider'>) {
  const t = useTexts('content');
  return (
    <>
      <BorderRows
        label={t('style.lineWidth')}
        value={block.line}
        isFixed
        onChange={(line) => line && change({ line }, 'line')}
      />
      <WidthRow value={block.width} onChange={(width) => change({ width }, 'width')} />
    </>
  );
}

export function SpacerForm({ block, change }: BlockFormProps<'spacer'>) {
  const t = useTexts('content');
  return (
    <>
      <NumberRow
        label={t('style.height')}
        value={block.height}
        min={1}
        onChange={(height) => change({ height: height ?? 24 }, 'height')}
      />
      <NumberRow
        label={t('style.mobileHeight')}
        value={block.mobile_height ?? undefined}
        defaultValue={block.height}
        onChange={(height) => change({ mobile_height: height ?? null }, 'mobile_height')}
      />
    </>
  );
}

export function FooterForm({ block, change }: BlockFormProps<'footer'>) {
  const t = useTexts('content');
  return (
    <>
      <WriteHint />
      <SwitchRow
        label={t('fields.hasAddress')}
        value={block.has_address}
        onChange={(has_address) => change({ has_address })}
      />
      <LineRow
        label={t('fields.unsubscribeLabel')}
        placeholder={t('canvas.unsubscribe')}
        value={block.unsubscribe_label}
        onChange={(unsubscribe_label) => change({ unsubscribe_label }, 'unsubscribe')}
      />
      <LineRow
        label={t('fields.browserLabel')}
        description={t('fields.browserHint')}
        value={block.browser_label}
        onChange={(browser_label) => change({ browser_label }, 'browser')}
      />
      <LineRow
        label={t('fields.preferencesLabel')}
        description={t('fields.preferencesHint')}
        value={block.preferences_label ?? ''}
        onChange={(preferences_label) => change({ preferences_label }, 'preferences')}
      />
    </>
  );
}

export function HtmlForm({ block, change }: BlockFormProps<'html'>) {
  const t = useTexts('content');
  return (
    <Textarea
      label={t('fields.html')}
      description={t('fields.htmlHint')}
      autosize
      minRows={8}
      maxRows={24}
      dir="ltr"
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
      value={block.html}
      onChange={(event) => change({ html: event.currentTarget.value }, 'html')}
    />
  );
}
