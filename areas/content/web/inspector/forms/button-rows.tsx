// Button style of button blocks, products and coupons.
import { useTexts } from '#platform/web/texts/texts.ts';
import type { ButtonLook } from '../../../document.ts';
import { useEditorState } from '../../store.ts';
import { BorderRows, ColourRow } from '#platform/web/editing/box-fields.tsx';
import { NumberRow, SwitchRow } from '#platform/web/editing/fields.tsx';
import { merged } from './form-pieces.tsx';

export function ButtonRows({
  look,
  onChange,
  hasWidth = true,
}: {
  look: ButtonLook;
  onChange: (look: ButtonLook, name: string) => void;
  hasWidth?: boolean;
}) {
  const t = useTexts('content');
  const { button, dark } = useEditorState((state) => state.document.settings);
  const put = (part: { [Key in keyof ButtonLook]?: ButtonLook[Key] | undefined }) => {
    onChange(merged(look, part), `button-${Object.keys(part).join()}`);
  };
  return (
    <>
      <ColourRow
        label={t('button.background')}
        value={look.background}
        usual={button.background}
        onChange={(background) => put({ background })}
      />
      <ColourRow
        label={t('button.color')}
        value={look.color}
        usual={button.color}
        onChange={(color) => put({ color })}
      />
      <ColourRow
        label={t('button.darkBackground')}
        value={look.dark_background}
        usual={dark?.button_background}
        onChange={(dark_background) => put({ dark_background })}
      />
      <ColourRow
        label={t('button.darkColor')}
        value={look.dark_color}
        usual={dark?.button_text}
        onChange={(dark_color) => put({ dark_color })}
      />
      <NumberRow
        label={t('style.radius')}
        value={look.radius}
        usual={button.radius}
        onChange={(radius) => put({ radius })}
      />
      <BorderRows
        label={t('style.border')}
        value={look.border}
        onChange={(border) => put({ border })}
      />
      {hasWidth && (
        <SwitchRow
          label={t('button.wide')}
          value={look.is_wide ?? false}
          onChange={(is_wide) => put({ is_wide })}
        />
      )}
    </>
  );
}
