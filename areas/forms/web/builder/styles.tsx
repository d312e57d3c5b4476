// Color themes for the whole form: presets, and the account's brand colors.
import { UnstyledButton } from '@mantine/core';
import { useBrand } from '#areas/content/web/index.ts';
import { Part } from '#platform/web/editing/field-parts.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { brandLook, LOOKS, type Look, type LookName } from '../../themes.ts';
import classes from './builder.module.css';
import { useBuilder, useDraft } from './store.ts';

export function Looks() {
  const t = useTexts('forms-builder');
  const brand = useBrand();
  const own =
    brand &&
    brandLook({
      background: brand.content_background,
      heading: brand.heading_color,
      text: brand.text_color,
      button: brand.button_background,
    });
  const names = Object.keys(LOOKS) as LookName[];
  return (
    <Part title={t('looks.title')}>
      <div className={classes.looks}>
        {own && <Choice name={t('looks.brand')} look={own} />}
        {names.map((name) => (
          <Choice key={name} name={t(`looks.${name}`)} look={LOOKS[name]} />
        ))}
      </div>
    </Part>
  );
}

function Choice({ name, look }: { name: string; look: Look }) {
  const { editStyles } = useBuilder();
  const { styles } = useDraft().document;
  const isOn = (Object.keys(look) as (keyof Look)[]).every((key) => styles[key] === look[key]);
  return (
    <UnstyledButton className={classes.look} aria-pressed={isOn} onClick={() => editStyles(look)}>
      <span
        className={classes.swatch}
        style={{ background: look.background, borderColor: look.borderColour }}
        aria-hidden="true"
      >
        <span style={{ background: look.heading }} />
        <span style={{ background: look.colour }} />
        <span style={{ background: look.button }} />
      </span>
      <span>{name}</span>
    </UnstyledButton>
  );
}
