// Color themes for the whole form: presets, and the account's brand colors.
import { UnstyledButton } from '@mantine/core';
import { useBrand } from '#areas/content/web/index.ts';
import { FieldPart } from '#platform/web/editing/field-parts.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { createBrandTheme, THEMES, type FormTheme, type FormThemeName } from '../../themes.ts';
import classes from './builder.module.css';
import { useBuilder, useDraft } from './store.ts';

export function Themes() {
  const t = useTexts('forms-builder');
  const brand = useBrand();
  const brandStyle =
    brand &&
    createBrandTheme({
      background: brand.content_background,
      heading: brand.heading_color,
      text: brand.text_color,
      button: brand.button_background,
    });
  const names = Object.keys(THEMES) as FormThemeName[];
  return (
    <FieldPart title={t('looks.title')}>
      <div className={classes.looks}>
        {brandStyle && <Choice name={t('looks.brand')} theme={brandStyle} />}
        {names.map((name) => (
          <Choice key={name} name={t(`looks.${name}`)} theme={THEMES[name]} />
        ))}
      </div>
    </FieldPart>
  );
}

function Choice({ name, theme }: { name: string; theme: FormTheme }) {
  const { editStyles } = useBuilder();
  const { styles } = useDraft().document;
  const isOn = (Object.keys(theme) as (keyof FormTheme)[]).every(
    (key) => styles[key] === theme[key],
  );
  return (
    <UnstyledButton className={classes.look} aria-pressed={isOn} onClick={() => editStyles(theme)}>
      <span
        className={classes.swatch}
        style={{ background: theme.background, borderColor: theme.borderColour }}
        aria-hidden="true"
      >
        <span style={{ background: theme.heading }} />
        <span style={{ background: theme.colour }} />
        <span style={{ background: theme.button }} />
      </span>
      <span>{name}</span>
    </UnstyledButton>
  );
}
