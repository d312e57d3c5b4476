// The brand of the account: colors, fonts and logo for templates and new emails. It can be copied
// from and to the current email.
import { ActionIcon, Button, ColorInput, Group, Text, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { LoadingState } from '#platform/web/ui/states.tsx';
import type { Brand } from '../../contract.ts';
import type { Color, DocumentImage } from '../../document.ts';
import { NO_PICTURE } from '../../document-factory.ts';
import { MAX_BRAND_COLORS } from '../../shared.ts';
import { FieldPart } from '#platform/web/editing/field-parts.tsx';
import classes from '../inspector/inspector.module.css';
import { DocumentImageField } from '../inspector/picture-field.tsx';
import { api } from '../queries.ts';
import { useEditor, useEditorState } from '../store.ts';
import { toBrand, toEmailSettings, type BrandWithColors } from './brand-settings.ts';
import { useBrand } from './use-brand.ts';

const BRAND = '/client-api/api/brand';
const DEFAULT_COLOR: Color = '#3b4fe4';
/**
 * Saves run in order, because each contains all colors and an earlier list must not arrive last.
 */
const IN_TURN = { invalidates: [BRAND], scope: { id: BRAND } };

export function BrandForm() {
  const t = useTexts('content');
  const brand = useBrand();
  const { editSettings } = useEditor();
  const settings = useEditorState((state) => state.document.settings);
  const save = useAction(
    (part: BrandWithColors) => api('PATCH /client-api/api/brand', { body: part }),
    IN_TURN,
  );
  if (!brand) return <LoadingState rows={4} />;
  // Pending colors are the base of the next change.
  const { colors } = save.isPending ? save.variables : brand;
  const saveBrand = async () => {
    await save.mutateAsync(toBrand(settings, colors));
    toast(t('brand.kept'));
  };
  return (
    <>
      <FieldPart title={t('brand.logo')}>
        <LogoField savedLogo={brand.logo} />
      </FieldPart>
      <FieldPart title={t('brand.colours')}>
        {colors.map((color, index) => (
          <BrandColor
            key={`${color}${index}`}
            color={color}
            number={index + 1}
            onChange={(next) => save.mutate({ colors: colors.with(index, next) })}
            remove={() => save.mutate({ colors: colors.toSpliced(index, 1) })}
          />
        ))}
        <Button
          size="xs"
          variant="default"
          disabled={colors.length >= MAX_BRAND_COLORS}
          onClick={() => save.mutate({ colors: [...colors, DEFAULT_COLOR] })}
        >
          {t('brand.addColour')}
        </Button>
      </FieldPart>
      <ThisEmail
        isBusy={save.isPending}
        applyBrand={() => editSettings(toEmailSettings(brand, settings))}
        saveBrand={() => void saveBrand()}
      />
    </>
  );
}

interface ThisEmailProps {
  isBusy: boolean;
  applyBrand: () => void;
  saveBrand: () => void;
}

/** Copies the brand into this email, or the email's colors and fonts into the brand. */
function ThisEmail({ isBusy, applyBrand, saveBrand }: ThisEmailProps) {
  const t = useTexts('content');
  return (
    <FieldPart title={t('brand.thisMail')}>
      <Text size="sm" c="dimmed">
        {t('brand.hint')}
      </Text>
      <div className={classes.item}>
        <Button size="xs" variant="default" onClick={applyBrand}>
          {t('brand.take')}
        </Button>
        <Button size="xs" variant="default" loading={isBusy} onClick={saveBrand}>
          {t('brand.keep')}
        </Button>
      </div>
    </FieldPart>
  );
}

interface BrandColorProps {
  color: Color;
  /** Position of the color in the list, from 1. */
  number: number;
  onChange: (next: Color) => void;
  remove: () => void;
}

function BrandColor({ color, number, onChange, remove }: BrandColorProps) {
  const t = useTexts('content');
  return (
    <Group gap={4} wrap="nowrap">
      <ColorInput
        size="xs"
        flex={1}
        dir="ltr"
        format="hex"
        aria-label={t('brand.colour', { count: number })}
        defaultValue={color}
        withEyeDropper={false}
        onChangeEnd={(next) => {
          if (/^#[0-9a-f]{6}$/i.test(next)) onChange(next as Color);
        }}
      />
      <Tooltip label={t('tools.delete')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`${t('tools.delete')}: ${color}`}
          onClick={remove}
        >
          <IconTrash size={16} stroke={1.75} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

/**
 * An image is saved immediately; its alternative text on blur, because saving takes longer than a
 * keystroke.
 */
function LogoField({ savedLogo }: { savedLogo: Brand['logo'] }) {
  const [written, setWritten] = useState<DocumentImage>();
  const save = useAction(
    (logo: Brand['logo']) => api('PATCH /client-api/api/brand', { body: { logo } }),
    IN_TURN,
  );
  const latest = save.isPending ? save.variables : savedLogo;
  const saveLogo = (logo: DocumentImage, isFailed?: () => void) => {
    setWritten(undefined);
    save.mutate(logo.src === '' ? null : logo, isFailed && { onError: isFailed });
  };
  const saveText = () => {
    // A text that could not be saved stays in the field for a retry.
    if (written) saveLogo(written, () => setWritten((laterEdit) => laterEdit ?? written));
  };
  return (
    <DocumentImageField
      image={written ?? latest ?? NO_PICTURE}
      isBackground={!latest}
      onChange={(logo, name) => (name === 'alt' ? setWritten(logo) : saveLogo(logo))}
      onBlur={saveText}
    />
  );
}
